#include "evidence/log/known_end.h"

#define TORCH "https://github.com/pytorch/pytorch/"

/* clang-format off */
const struct known_end known_ends[] = {
	{ { .name = "cuda-out-of-memory",
	    .summary = "a GPU had no room for one more tensor",
	    .explanation =
		"The allocator of PyTorch asked the driver for a block and got none. What is reserved but "
		"unallocated is PyTorch's own: when that is more than was tried to allocate, memory is there "
		"but in pieces. Memory in use that PyTorch did not allocate is NCCL's, the context's or "
		"another process's.",
	    .remedy =
		"With a config, `parplan sim --memory-report CONFIG` says what fills each rank. In pieces: "
		"PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True. Else fewer tokens per step and rank, "
		"activation checkpointing, or more ranks to shard over.",
	    .source = TORCH "blob/main/c10/cuda/CUDACachingAllocator.cpp",
	    .says = (const struct saying[]){
		{ "torch >= 2.2", "CUDA out of memory. Tried to allocate {tried}. GPU {gpu} has a total capacity of {capacity} of which {free} is free. {processes} Of the allocated memory {allocated} is allocated by PyTorch, and {reserved} is reserved by PyTorch but unallocated." },
		{ "torch 2.1", "CUDA out of memory. Tried to allocate {tried}. GPU {gpu} has a total capacty of {capacity} of which {free} is free. {processes} Of the allocated memory {allocated} is allocated by PyTorch, and {reserved} is reserved by PyTorch but unallocated." },
		{ "torch <= 2.0", "CUDA out of memory. Tried to allocate {tried} (GPU {gpu}; {capacity} total capacity; {allocated} already allocated; {free} free; {reserved} reserved in total by PyTorch)" },
		{ "torch", "CUDA out of memory. Tried to allocate {tried}" },
		{ NULL, NULL } } }, false },
	{ { .name = "host-out-of-memory",
	    .summary = "a process was killed from outside, most often for the host's memory",
	    .explanation =
		"SIGKILL leaves no trace in Python. The kernel or the container's limit sends it when the "
		"host's memory is used up: loading whole checkpoints on every rank, many loader workers, "
		"CPU offload, or /dev/shm, which counts too.",
	    .remedy =
		"Look for oom-kill in dmesg or the scheduler's record of the job (sacct MaxRSS, kubectl "
		"describe pod: OOMKilled). Load on one rank or on meta tensors, use fewer workers, ask for "
		"more memory.",
	    .source = TORCH "blob/main/torch/distributed/elastic/multiprocessing/errors/__init__.py",
	    .says = (const struct saying[]){
		{ "torchrun", "traceback : Signal 9 (SIGKILL) received by PID {pid}" },
		{ "torchrun", "failed (exitcode: -9) local_rank: {local_rank} (pid: {pid}) of binary:" },
		{ "torch, a data loader", "DataLoader worker (pid(s) {pid}) exited unexpectedly" },
		{ "torch, a data loader", "DataLoader worker (pid {pid}) is killed by signal: Killed." },
		{ "Slurm", "error: Detected {n} oom_kill event" },
		{ "Slurm", "error: Detected {n} oom-kill event" },
		{ NULL, NULL } } }, false },
	{ { .name = "shared-memory-full",
	    .summary = "/dev/shm is too small for the data loader's workers or NCCL",
	    .explanation =
		"Workers of a DataLoader hand batches over in shared memory, and NCCL keeps buffers there; "
		"a container has 64 MiB of it by default.",
	    .remedy = "docker run --ipc=host or --shm-size; in Kubernetes an emptyDir of medium Memory at /dev/shm.",
	    .source = TORCH "blob/main/torch/utils/data/_utils/signal_handling.py",
	    .says = (const struct saying[]){
		{ "torch", "Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm)." },
		{ "NCCL", "Error while creating shared memory segment {path} (size {size}), error: No space left on device" },
		{ "NCCL", "Error while creating shared memory segment {path} (size {size})" },
		{ NULL, NULL } } }, false },
	{ { .name = "address-in-use",
	    .summary = "the port of the rendezvous or of the store is taken",
	    .explanation =
		"Another job on this host, or what is left of an earlier one, listens on that port; 29500 is "
		"the default of everybody. Or several processes of one host were started as the master.",
	    .remedy =
		"ss -ltnp | grep PORT tells who has it. Give --master-port or --rdzv-endpoint=HOST:PORT another "
		"one; on one node --standalone or port 0 takes a free one.",
	    .source = TORCH "issues/73320",
	    .says = (const struct saying[]){
		{ "torch >= 2.5", "The server socket has failed to listen on any local network address. port: {port}, useIpv6: {ipv6}, code: {code}, name: EADDRINUSE, message: address already in use" },
		{ "torch <= 2.4", "The server socket has failed to listen on any local network address. useIpv6: {ipv6}, code: {code}, name: EADDRINUSE, message: address already in use" },
		{ "torch 1.11 and later", "The server socket has failed to bind to {address} (errno: 98 - Address already in use)" },
		{ "Python", "OSError: [Errno 98] Address already in use" },
		{ "torch < 1.11", "RuntimeError: Address already in use" },
		{ NULL, NULL } } }, false },
	{ { .name = "disk-full",
	    .summary = "a file system has no space left",
	    .explanation =
		"Checkpoints, logs, compile caches (/tmp/torchinductor_USER) or downloads filled it; a quota "
		"says the same. The traceback above names the file.",
	    .remedy =
		"df -h and df -i on the node that printed it. Keep fewer checkpoints (keep_latest_k), put "
		"TMPDIR, TORCHINDUCTOR_CACHE_DIR and HF_HOME elsewhere.",
	    .source = "errno(3), ENOSPC",
	    .says = (const struct saying[]){
		{ "Python", "OSError: [Errno 28] No space left on device" },
		{ "the C library", "No space left on device" },
		{ NULL, NULL } } }, false },
	{ { .name = "store-unreachable",
	    .summary = "a rank could not reach the store of rank 0",
	    .explanation =
		"Ranks meet at MASTER_ADDR:MASTER_PORT. The host behind it never started or died first, the "
		"name resolves to another interface, or a firewall is between.",
	    .remedy =
		"Look at rank 0's own log first. From another node: getent hosts HOST, nc -vz HOST PORT. "
		"GLOO_SOCKET_IFNAME and NCCL_SOCKET_IFNAME choose the interface.",
	    .source = TORCH "blob/main/torch/csrc/distributed/c10d/socket.cpp",
	    .says = (const struct saying[]){
		{ "torch", "The client socket has timed out after {time} while trying to connect to ({host}, {port})." },
		{ "torch", "The client socket has failed to connect to any network address of ({host}, {port})." },
		{ "torch", "The IPv4 network addresses of ({host}, {port}) cannot be retrieved" },
		{ "torch", "The IPv6 network addresses of ({host}, {port}) cannot be retrieved" },
		{ NULL, NULL } } }, false },
	{ { .name = "device-failed",
	    .summary = "a GPU reported a fault of its own",
	    .explanation =
		"Uncorrectable memory errors and lost devices are the hardware's. They hit one node; the "
		"config is not the cause.",
	    .remedy = "dmesg | grep -i xid and nvidia-smi -q on that node; take it out of the job.",
	    .source = "NVIDIA, XID errors: https://docs.nvidia.com/deploy/xid-errors/",
	    .says = (const struct saying[]){
		{ "CUDA", "CUDA error: uncorrectable ECC error encountered" },
		{ "CUDA", "CUDA error: uncorrectable NVLink error detected during the execution" },
		{ "the kernel", "NVRM: Xid (PCI:{device}): {code}," },
		{ "the driver", "Unable to determine the device handle for GPU" },
		{ NULL, NULL } } }, false },
	{ { .name = "time-limit",
	    .summary = "the scheduler ended the job at its time limit",
	    .explanation = "Nothing failed: the time that was asked for is over, or the job was cancelled or preempted.",
	    .remedy = "Resume from the last checkpoint; ask for more time, or save before it ends (--signal).",
	    .source = "Slurm: slurmd/slurmstepd/req.c",
	    .says = (const struct saying[]){
		{ "Slurm", "CANCELLED AT {time} DUE TO TIME LIMIT" },
		{ "Slurm", "CANCELLED AT {time} DUE TO PREEMPTION" },
		{ NULL, NULL } } }, false },
	{ { .name = "host-allocation-failed",
	    .summary = "the host refused memory for one tensor",
	    .explanation =
		"malloc failed: a size that was computed wrongly (a negative or absurd shape), a limit "
		"of the container or of ulimit -v, or a host that is full and does not overcommit.",
	    .remedy =
		"Look at the number of bytes: is it what the tensor should have? If so free -g, ulimit "
		"-v and the container's limit on that node.",
	    .source = TORCH "blob/main/c10/core/impl/alloc_cpu.cpp",
	    .says = (const struct saying[]){
		{ "torch", "DefaultCPUAllocator: can't allocate memory: you tried to allocate {bytes} bytes. Error code {code} (Cannot allocate memory)" },
		{ "torch", "DefaultCPUAllocator: not enough memory: you tried to allocate {bytes} bytes." },
		{ "Python", "numpy.core._exceptions._ArrayMemoryError: Unable to allocate {bytes} for an array with shape" },
		{ NULL, NULL } } }, false },
	{ { .name = "process-crashed",
	    .summary = "a process crashed in compiled code",
	    .explanation =
		"SIGSEGV, SIGBUS or SIGABRT ended it below Python: an extension built for another "
		"PyTorch or CUDA, a library's bug, a C++ exception that nobody caught.",
	    .remedy =
		"PYTHONFAULTHANDLER=1 prints the Python frames; gdb -p or a core dump the others. "
		"Build extensions anew for the installed PyTorch.",
	    .source = TORCH "blob/main/torch/distributed/elastic/multiprocessing/errors/__init__.py",
	    .says = (const struct saying[]){
		{ "torchrun", "traceback : Signal 11 (SIGSEGV) received by PID {pid}" },
		{ "torchrun", "traceback : Signal 7 (SIGBUS) received by PID {pid}" },
		{ "torchrun", "traceback : Signal 6 (SIGABRT) received by PID {pid}" },
		{ "torchrun", "failed (exitcode: -11) local_rank: {local_rank} (pid: {pid}) of" },
		{ "torchrun", "failed (exitcode: -7) local_rank: {local_rank} (pid: {pid}) of" },
		{ "torchrun", "failed (exitcode: -6) local_rank: {local_rank} (pid: {pid}) of" },
		{ "Python", "Fatal Python error: Segmentation fault" },
		{ NULL, NULL } } }, false },
	{ { .name = "module-not-installed",
	    .summary = "a Python module is not installed where the job runs",
	    .explanation =
		"The interpreter of that process does not find it: another environment than the one it was "
		"installed into, a node whose image differs, or a file that is not on PYTHONPATH.",
	    .remedy =
		"On that node: which python, python -m pip show PACKAGE. Install it there, or start the job "
		"with the environment's own python (torchrun starts the one it runs under).",
	    .source = "Python, built-in exceptions: ModuleNotFoundError",
	    .says = (const struct saying[]){
		{ "Python", "ModuleNotFoundError: No module named '{module}'" },
		{ NULL, NULL } } }, false },
	{ { .name = "checkpoint-not-there",
	    .summary = "the folder that is loaded has no metadata of a checkpoint",
	    .explanation =
		"DCP looks for FOLDER/.metadata, which is written last: the path is wrong, the storage is not "
		"mounted on that node, or the job died while it saved.",
	    .remedy = "ls -la FOLDER on that node. A step folder without .metadata was never finished: resume from the one before.",
	    .source = TORCH "blob/main/torch/distributed/checkpoint/filesystem.py",
	    .says = (const struct saying[]){
		{ "torch", "[Errno 2] No such file or directory: '{folder}.metadata'" },
		{ NULL, NULL } } }, false },
	{ { .name = "state-dict-keys",
	    .summary = "the names of a state dict are not those of the module",
	    .explanation =
		"load_state_dict compares all names: another model, a prefix that compiling or a wrapper leaves "
		"(_orig_mod., module.), or a file that holds the weights one level deeper.",
	    .remedy =
		"Compare the first names of both: list(model.state_dict())[:3], list(loaded)[:3]. Strip the prefix, "
		"or load before wrapping.",
	    .source = TORCH "blob/main/torch/nn/modules/module.py",
	    .says = (const struct saying[]){
		{ "torch", "RuntimeError: Error(s) in loading state_dict for {module}:" },
		{ NULL, NULL } } }, false },
	{ { .name = "nccl-without-gpu",
	    .summary = "NCCL was asked for where PyTorch sees no GPU",
	    .explanation =
		"A CPU build of PyTorch, a node without driver, or CUDA_VISIBLE_DEVICES that hides all devices.",
	    .remedy = "python -c 'import torch; print(torch.__version__, torch.cuda.device_count())' on that node; nvidia-smi.",
	    .source = TORCH "blob/main/torch/distributed/distributed_c10d.py",
	    .says = (const struct saying[]){
		{ "torch", "Distributed package doesn't have NCCL built in" },
		{ "torch", "ProcessGroupNCCL is only supported with GPUs, no GPUs found!" },
		{ NULL, NULL } } }, false },
	{ { .name = "ranks-missing",
	    .summary = "not all ranks came to the rendezvous",
	    .explanation =
		"The store counts who joins. Fewer processes were started than the world size says, one died "
		"while it imported, or some wait at another address.",
	    .remedy =
		"The text says how many came. Compare --nnodes and --nproc-per-node (or WORLD_SIZE) with the "
		"processes that run; look at the log of a rank that is missing.",
	    .source = TORCH "blob/main/torch/csrc/distributed/c10d/TCPStore.cpp",
	    .says = (const struct saying[]){
		{ "torch", "Timed out after {seconds} seconds waiting for clients. {joined}/{wanted} clients joined." },
		{ NULL, NULL } } }, false },
	{ { .name = "barrier-rank-missing",
	    .summary = "a rank did not come to a monitored barrier",
	    .explanation =
		"monitored_barrier counts ranks one by one and names those that do not answer in time: they died, "
		"are stuck, or took another branch.",
	    .remedy = "Look at the log of the rank that is named; py-spy dump --pid of it while it hangs.",
	    .source = TORCH "blob/main/torch/csrc/distributed/c10d/ProcessGroupGloo.cpp",
	    .says = (const struct saying[]){
		{ "torch", "Rank {missing} failed to pass monitoredBarrier in {ms} ms" },
		{ "torch", "Ranks {missing} failed to pass monitoredBarrier in {ms} ms" },
		{ NULL, NULL } } }, false },
	{ { .name = "collective-mismatch",
	    .summary = "ranks made different calls at the same time",
	    .explanation =
		"All ranks of a group must make the same calls, in the same order, on tensors of the same size. One "
		"took another branch (an if on data, an uneven last batch), or its tensor has another shape.",
	    .remedy =
		"TORCH_DISTRIBUTED_DEBUG=DETAIL says which rank calls what; the differing shapes tell the tensor.",
	    .source = TORCH "blob/main/torch/csrc/distributed/c10d/ProcessGroupWrapper.cpp",
	    .says = (const struct saying[]){
		{ "torch", "Detected mismatch between collectives on ranks. Rank {rank} is running collective: {call}" },
		{ "gloo", "op.preamble.length <= op.nbytes. {sent} vs {expected}. Received data size doesn't match expected size." },
		{ "gloo", "op.preamble.length <= op.nbytes. {sent} vs {expected}" },
		{ NULL, NULL } } }, false },
	{ { .name = "ddp-unused-parameters",
	    .summary = "parameters got no gradient, so DistributedDataParallel still waits for them",
	    .explanation =
		"DDP reduces a bucket when all its gradients are there. Parameters that the loss does not depend on "
		"never have one.",
	    .remedy =
		"Freeze them (requires_grad_(False)), use them, or find_unused_parameters=True. "
		"TORCH_DISTRIBUTED_DEBUG=INFO lists them.",
	    .source = TORCH "blob/main/torch/csrc/distributed/c10d/reducer.cpp",
	    .says = (const struct saying[]){
		{ "torch", "Expected to have finished reduction in the prior iteration before starting a new one." },
		{ NULL, NULL } } }, false },
	{ { .name = "gradients-not-finite",
	    .summary = "the norm of the gradients is infinite or not a number",
	    .explanation = "The loss diverged, or a sample or an operation in low precision gave inf or nan.",
	    .remedy =
		"Look at the loss of the steps before. torch.autograd.set_detect_anomaly(True) names the operation; "
		"lower the learning rate, skip the batch, or compute that part in float32.",
	    .source = TORCH "blob/main/torch/nn/utils/clip_grad.py",
	    .says = (const struct saying[]){
		{ "torch", "The total norm of order {order} for gradients from `parameters` is non-finite, so it cannot be clipped." },
		{ "torch", "returned nan values in its {output}th output." },
		{ NULL, NULL } } }, false },
	{ { .name = "nccl-timeout",
	    .summary = "a collective did not finish: some rank never came to it",
	    .explanation =
		"All ranks of a group must make the same calls in the same order. One that died, is stuck, or "
		"took another branch leaves the others waiting until the timeout. The ranks that print this "
		"are the ones that waited: look for the rank that does not.",
	    .remedy =
		"Look for the first exception of a rank that does not print this, and for ranks whose last "
		"work number is lower. TORCH_NCCL_TRACE_BUFFER_SIZE=2000 with TORCH_NCCL_DUMP_ON_TIMEOUT=1 "
		"records who was where.",
	    .source = TORCH "blob/main/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp",
	    .says = (const struct saying[]){
		{ "torch >= 2.1", "Watchdog caught collective operation timeout: WorkNCCL(SeqNum={sequence}, OpType={operation}, NumelIn={elements_in}, NumelOut={elements_out}, Timeout(ms)={timeout_ms}) ran for {ran_ms} milliseconds before timing out." },
		{ "torch", "Watchdog caught collective operation timeout: WorkNCCL(SeqNum={sequence}, OpType={operation}, Timeout(ms)={timeout_ms}) ran for {ran_ms} milliseconds before timing out." },
		{ "torch", "Watchdog caught collective operation timeout:" },
		{ NULL, NULL } } }, true },
	{ { .name = "gloo-timeout",
	    .summary = "a rank waited for another one over gloo, in vain",
	    .explanation =
		"All ranks of a group must make the same calls in the same order. The rank that prints this is one "
		"that waited: look for the rank that did not come.",
	    .remedy =
		"Look for the first exception of a rank that does not print this. dist.monitored_barrier() names "
		"the ranks that do not come.",
	    .source = "https://github.com/pytorch/gloo/blob/main/gloo/transport/tcp/unbound_buffer.cc",
	    .says = (const struct saying[]){
		{ "gloo", "Timed out waiting {ms}ms for recv operation to complete" },
		{ "gloo", "Timed out waiting {ms}ms for send operation to complete" },
		{ NULL, NULL } } }, true },
	{ { .name = "gloo-peer-lost",
	    .summary = "gloo lost the connection to another rank",
	    .explanation = "The process at the other end has ended, most often with an exception of its own.",
	    .remedy = "Look for what the other rank printed before.",
	    .source = "https://github.com/pytorch/gloo/blob/main/gloo/transport/tcp/pair.cc",
	    .says = (const struct saying[]){
		{ "gloo", "gloo/transport/tcp/pair.cc:{line}] Connection closed by peer" },
		{ "gloo", "gloo/transport/tcp/pair.cc:{line}] Read error [{address}]:{port}: Connection reset by peer" },
		{ "gloo", "gloo/transport/tcp/pair.cc:{line}] writev [{address}]:{port}: Broken pipe" },
		{ "gloo", "gloo/transport/tcp/pair.cc:{line}] writev [{address}]:{port}: Connection reset by peer" },
		{ NULL, NULL } } }, true },
	{ { .name = "nccl-peer-lost",
	    .summary = "NCCL lost the connection to another rank",
	    .explanation =
		"The other end of a connection closed: its process ended, most often with an exception of its "
		"own; more rarely the network failed.",
	    .remedy = "Look for what the other rank printed before; with NCCL_DEBUG=INFO the line before names the peer.",
	    .source = "https://github.com/NVIDIA/nccl/blob/master/src/debug.cc",
	    .says = (const struct saying[]){
		{ "torch", "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely." },
		{ "NCCL", "Got completion from peer {peer} with status={status} opcode=" },
		{ "NCCL", "Got completion from peer {peer} with error {error}, opcode" },
		{ "NCCL", "socketProgress: Connection closed by remote peer {peer}" },
		{ NULL, NULL } } }, true },
	{ { .name = "store-lost",
	    .summary = "the store is gone: the process that held it has ended",
	    .explanation = "Rank 0 or the launcher's agent holds the store; the others lose it when that process ends.",
	    .remedy = "Look for the first exception of rank 0 and of the first node.",
	    .source = TORCH "blob/main/torch/csrc/distributed/c10d/TCPStore.cpp",
	    .says = (const struct saying[]){
		{ "torch", "failed to recv, got 0 bytes" },
		{ "torch", "sendBytes failed on SocketImpl(" },
		{ "torch", "recvValue failed on SocketImpl(" },
		{ "torch, elastic", "RendezvousConnectionError: The connection to the C10d store has failed." },
		{ NULL, NULL } } }, true },
	{ { .name = "watchdog-aborts",
	    .summary = "after a collective failed, the watchdog ended the process",
	    .explanation = "It is how a process ends after a timeout or an error of NCCL, not why.",
	    .remedy = "See the error that was printed before it.",
	    .source = TORCH "blob/main/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp",
	    .says = (const struct saying[]){
		{ "torch", "Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data." },
		{ "torch", "To avoid data inconsistency, we are taking the entire process down." },
		{ "torch", "watchdog thread terminated with exception:" },
		{ NULL, NULL } } }, true },
	{ { .name = "child-failed",
	    .summary = "torchrun says that a worker has failed",
	    .explanation =
		"The launcher's own exception: a worker ended with an error. Its block names the first rank "
		"that was seen to fail and its exit code, -9 for SIGKILL and -11 for a segmentation fault.",
	    .remedy =
		"The traceback of that rank is further up, or in its own file with --log-dir and --redirects; "
		"@record over main() puts it into the launcher's block.",
	    .source = TORCH "blob/main/torch/distributed/elastic/multiprocessing/errors/__init__.py",
	    .says = (const struct saying[]){
		{ "torchrun", "Root Cause (first observed failure): {n} time : {time} host : {host} rank : {rank} (local_rank: {local_rank}) exitcode : {exitcode} (pid: {pid})" },
		{ "torchrun", "torch.distributed.elastic.multiprocessing.errors.ChildFailedError" },
		{ NULL, NULL } } }, true },
	{ { .name = "terminated",
	    .summary = "the launcher ended the other processes",
	    .explanation = "When one worker fails torchrun sends SIGTERM to the rest; a scheduler does so at its limit.",
	    .remedy = "The cause is in the rank that was not ended this way.",
	    .source = TORCH "blob/main/torch/distributed/elastic/multiprocessing/api.py",
	    .says = (const struct saying[]){
		{ "torchrun", "Sending process {n} closing signal SIGTERM" },
		{ "torchrun", "Signal 15 (SIGTERM) received by PID {n}" },
		{ "torchrun", "SignalException: Process {n} got signal: 15" },
		{ "Slurm", "srun: Job step aborted: Waiting up to {time} seconds for job step to finish." },
		{ NULL, NULL } } }, true },
};
/* clang-format on */

const size_t known_end_count = sizeof(known_ends) / sizeof(*known_ends);
