"""Tiny jobs of real PyTorch, right ones and broken ones, and the evidence that they leave, trimmed.

    torchrun --nproc-per-node 8 tests/oracle/evidence.py [JOB...]      all that this world and backend can run
    torchrun --nnodes 2 --nproc-per-node 4 ...                         for tp-across-nodes

Writes testdata/evidence/jobs/real-JOB-BACKEND-TORCH/ as testdata/evidence/jobs.py does: config.yaml (the plan),
verdict (what `parplan verify` must say of all of it), comm_traces/ and profiler traces of some ranks, the
execution trace of one, `.metadata` of a checkpoint; tests/unit/evidence/jobs.c takes what is there. With GPUs
the backend is NCCL, and with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL NCCL_DEBUG_FILE=/tmp/nccl.%h.%p its
logs are kept, too; without, it is gloo on the CPU. PyTorch has no flight recorder for gloo before 2.9, and its
profiler writes what gloo moves only from 2.6 on: where a run leaves nothing that could be judged, the verdict
it must get is insufficient.

Written against the sources of 2.4 to 2.11 (torch/distributed/fsdp/_fully_shard, tensor/parallel,
pipelining/schedules.py, tensor/experimental/_attention.py, torch/profiler/profiler.py); not yet run: there was
no PyTorch where it was written. Look at each verdict before it is committed, and say in jobs.c's data why one
differs from what stands here.
"""
import glob, json, os, pickle, shutil, socket, sys, tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, SequenceParallel, parallelize_module

try:
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
except ImportError:  # before 2.6
    from torch.distributed._composable.fsdp import MixedPrecisionPolicy, fully_shard

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WIDTH, HIDDEN, BLOCKS, BATCH, SEQUENCE, VOCABULARY = 256, 1024, 2, 2, 64, 4096
STEPS = 4  # two of them are profiled
GPU = torch.cuda.is_available()
BACKEND = "nccl" if GPU else "gloo"
KEPT = 4  # ranks whose files are kept: the first, the last, and two between


# ---- the model ----


class Block(nn.Module):
    """A norm, attention without heads (so that tensor parallelism stays readable), and an MLP."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Model(nn.Module):
    def __init__(self, blocks=BLOCKS, first=True, last=True):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH) if first else None
        self.blocks = nn.ModuleList(Block() for _ in range(blocks))
        self.output = nn.Linear(WIDTH, VOCABULARY, bias=False) if last else None

    def forward(self, x):
        if self.embedding is not None:
            x = self.embedding(x)
        for block in self.blocks:
            x = block(x)
        return x if self.output is None else self.output(x)


def shard(model, mesh, bottom_up=True):
    """FSDP2 as TorchTitan applies it: blocks, then the rest; bf16 gathered, fp32 reduced."""
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for block in model.blocks:
        fully_shard(block, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    return model


def tensor_parallel(model, mesh):
    for block in model.blocks:
        parallelize_module(block, mesh, {
            "norm": SequenceParallel(),
            "up": ColwiseParallel(input_layouts=None),
            "down": RowwiseParallel(),
        })
    return model


def device():
    return torch.device("cuda", torch.cuda.current_device()) if GPU else torch.device("cpu")


def mesh_of(**sizes):
    return init_device_mesh("cuda" if GPU else "cpu", tuple(sizes.values()), mesh_dim_names=tuple(sizes))


# ---- steps ----


def all_reduce_loss(loss):
    """As trainers log it: one element over the whole world."""
    value = loss.detach().float().reshape(1)
    dist.all_reduce(value)
    return value


def plain_step(model, optimizer):
    tokens = torch.randint(VOCABULARY, (BATCH, SEQUENCE), device=device())

    def step():
        logits = model(tokens)
        loss = nn.functional.cross_entropy(logits.float().flatten(0, 1), tokens.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        all_reduce_loss(loss)

    return step


def trained(model):
    return plain_step(model, torch.optim.AdamW(model.parameters(), lr=1e-4))


# ---- jobs: a plan, a verdict, and what builds the step ----

JOBS = {}


def job(verdict, world=8, nodes=1, **degrees):
    def keep(build):
        JOBS[build.__name__.replace("_", "-")] = (verdict, world, nodes, degrees, build)
        return build

    return keep


@job("match", dp_shard=8)
def fsdp():
    return trained(shard(Model().to(device()), mesh_of(dp_shard=8)))


@job("match", dp_replicate=2, dp_shard=4)
def hsdp():
    return trained(shard(Model().to(device()), mesh_of(dp_replicate=2, dp_shard=4)))


@job("match", dp_replicate=8, dp_shard=1)
def ddp():
    return trained(nn.parallel.DistributedDataParallel(Model().to(device()), device_ids=None))


@job("match", dp_shard=4, tp=2)
def fsdp_tp():
    mesh = mesh_of(dp_shard=4, tp=2)
    return trained(shard(tensor_parallel(Model().to(device()), mesh["tp"]), mesh["dp_shard"]))


@job("match", dp_shard=4, pp=2)
def fsdp_pp():
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B

    mesh = mesh_of(pp=2, dp_shard=4)
    rank = mesh["pp"].get_local_rank()
    part = shard(Model(BLOCKS // 2, rank == 0, rank == 1).to(device()), mesh["dp_shard"])
    stage = PipelineStage(part, rank, 2, device(), group=mesh["pp"].get_group())
    optimizer = torch.optim.AdamW(part.parameters(), lr=1e-4)
    tokens = torch.randint(VOCABULARY, (4, SEQUENCE), device=device())

    def loss_of(logits, target):
        return nn.functional.cross_entropy(logits.float().flatten(0, 1), target.flatten())

    schedule = Schedule1F1B(stage, 4, loss_fn=loss_of)

    def step():
        losses = []
        if rank == 0:
            schedule.step(tokens)
        else:
            schedule.step(target=tokens, losses=losses)
        optimizer.step()
        optimizer.zero_grad()
        all_reduce_loss(sum(losses) if losses else torch.zeros(1, device=device()))

    return step


@job("match", dp_shard=4, cp=2)
def fsdp_cp():
    """Ring attention over cp inside FSDP over dp_shard_cp; NCCL alone has what it needs."""
    from torch.distributed.tensor.experimental import context_parallel

    mesh = mesh_of(dp_shard=4, cp=2)
    flat = mesh["dp_shard", "cp"]._flatten("dp_shard_cp")
    model = shard(Model().to(device()), flat)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    tokens = torch.randint(VOCABULARY, (BATCH, SEQUENCE), device=device())
    heads = torch.randn(BATCH, 4, SEQUENCE, 64, device=device(), dtype=torch.bfloat16, requires_grad=True)

    def step():
        with context_parallel(mesh["cp"], buffers=(heads,), buffer_seq_dims=(2,)):
            nn.functional.scaled_dot_product_attention(heads, heads, heads, is_causal=True).sum().backward()
        loss = nn.functional.cross_entropy(model(tokens).float().flatten(0, 1), tokens.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        all_reduce_loss(loss)

    return step


# Broken ones: what was planned stands in the decorator.


@job("mismatch HSDP_COLLAPSED_TO_FSDP", dp_replicate=2, dp_shard=4)
def flattened_mesh():
    """pytorch/torchtitan#1279: the 2-D mesh is flattened before fully_shard gets it."""
    mesh = mesh_of(dp_replicate=2, dp_shard=4)
    return trained(shard(Model().to(device()), mesh["dp_replicate", "dp_shard"]._flatten("dp")))


@job("mismatch DDP_INSTEAD_OF_SHARD", dp_replicate=2, dp_shard=4)
def n_by_1_mesh():
    """pytorch#163761: over (8, 1) nothing is gathered and gradients are all-reduced whole."""
    return trained(shard(Model().to(device()), mesh_of(dp_replicate=8, dp_shard=1)))


@job("insufficient", dp_replicate=8, dp_shard=1)
def n_by_1_unsynced():
    """pytorch#154888: FSDP1 makes NO_SHARD of HYBRID_SHARD over (8, 1) and reduces nothing."""
    from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy

    mesh = mesh_of(dp_replicate=8, dp_shard=1)
    return trained(FullyShardedDataParallel(Model().to(device()), device_mesh=mesh, use_orig_params=True,
                                            sharding_strategy=ShardingStrategy.HYBRID_SHARD))


@job("mismatch REPLICA_SYNC_MISSING", dp_replicate=2, dp_shard=4)
def sync_missing():
    """NVIDIA-NeMo/Automodel#3135: the mesh loses its first axis, so copies are never reduced."""
    mesh = mesh_of(dp_replicate=2, dp_shard=4)
    mesh["dp_replicate"].get_group()  # it is made, and nothing goes over it
    return trained(shard(Model().to(device()), mesh["dp_shard"]))


@job("mismatch DIM_ORDER_SWAPPED", nodes=2, dp_shard=4, tp=2)
def tp_across_nodes():
    mesh = mesh_of(tp=2, dp_shard=4)
    return trained(shard(tensor_parallel(Model().to(device()), mesh["tp"]), mesh["dp_shard"]))


@job("mismatch WRONG_DEGREE", dp_shard=4, tp=2)
def wrong_degree():
    mesh = mesh_of(dp_shard=2, tp=4)
    return trained(shard(tensor_parallel(Model().to(device()), mesh["tp"]), mesh["dp_shard"]))


@job("mismatch DIM_UNUSED", dp_shard=4, cp=2)
def unused_dim():
    """cp is in the mesh, and nobody makes attention use it."""
    mesh = mesh_of(dp_shard=4, cp=2)
    mesh["cp"].get_group()
    return trained(shard(Model().to(device()), mesh["dp_shard", "cp"]._flatten("dp_shard_cp")))


# ---- what is kept ----


def kept_ranks(world):
    return sorted({0, world // 2 - 1, world // 2, world - 1})[:KEPT]


def trim_trace(path):
    """Of a trace what parplan reads: the head, collectives, their kernels, steps."""
    with open(path) as file:
        trace = json.load(file)
    names = ("record_param_comms", "ncclDevKernel", "ncclKernel", "ProfilerStep#", "nccl:", "gloo:")
    trace["traceEvents"] = [e for e in trace["traceEvents"] if e.get("ph") == "X" and e["name"].startswith(names)]
    trace["deviceProperties"] = [{"id": d["id"], "name": d["name"]} for d in trace.get("deviceProperties", [])]
    for key in [k for k in trace if k not in ("schemaVersion", "deviceProperties", "distributedInfo", "traceEvents",
                                              "traceName", "displayTimeUnit", "baseTimeNanoseconds")]:
        del trace[key]
    trace["traceName"] = os.path.basename(path)
    return json.dumps(trace, separators=(",", ":"))


def trim_dump(data):
    """Without frames and threads, which have paths and names of the machine in them."""
    dump = pickle.loads(data)
    for entry in dump.get("entries", []):
        for key in ("frames", "thread_name", "thread_id"):
            entry.pop(key, None)
    return pickle.dumps(dump, protocol=2)


def dump_of_recorder():
    """The flight recorder's dump of this process; None where there is none."""
    for name in ("_dump_nccl_trace",) if GPU else ("_dump_fr_trace", "_dump_gloo_trace"):
        take = getattr(torch._C._distributed_c10d, name, None)
        if take:
            return take()
    return None


def put(folder, name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def plan_text(world, nodes, degrees):
    head = "parplan: 1\ncluster: {nodes: %d, gpus_per_node: %d}\nparallelism:\n" % (nodes, world // nodes)
    return head + "".join("  %s: %d\n" % item for item in degrees.items())


def save_checkpoint(folder, model):
    import torch.distributed.checkpoint as dcp

    where = tempfile.gettempdir() + "/parplan-evidence-checkpoint"
    dcp.save({"model": model.state_dict()}, checkpoint_id=where)
    dist.barrier()
    if dist.get_rank() == 0:
        os.makedirs(folder + "/step-%d" % STEPS, exist_ok=True)
        shutil.copy(where + "/.metadata", folder + "/step-%d/.metadata" % STEPS)
        shutil.rmtree(where)


def keep_logs(folder):
    """NCCL's own, where NCCL_DEBUG_FILE put them; the host becomes a number."""
    for number, path in enumerate(sorted(glob.glob("/tmp/nccl.*"))):
        with open(path, errors="replace") as file:
            text = file.read().replace(socket.gethostname(), "node")
        put(folder, "nccl.node.%d.log" % number, "\n".join(
            line for line in text.split("\n") if "Init" in line or "opCount" in line or "nRanks" in line) + "\n")


def run(name):
    verdict, world, nodes, degrees, build = JOBS[name]
    rank, base = dist.get_rank(), os.path.join(ROOT, "testdata", "evidence", "jobs")
    folder = "%s/real-%s-%s-%s" % (base, name, BACKEND, torch.__version__.split("+")[0])
    if world != dist.get_world_size() or (nodes > 1) != (int(os.environ.get("GROUP_WORLD_SIZE", "1")) > 1):
        return
    step = build()
    activities = [torch.profiler.ProfilerActivity.CPU] + [torch.profiler.ProfilerActivity.CUDA] * GPU
    path = "%s/rank%d_trace.json" % (tempfile.gettempdir(), rank)
    schedule = torch.profiler.schedule(wait=1, warmup=1, active=2)
    with torch.profiler.profile(activities=activities, schedule=schedule, record_shapes=True,
                                on_trace_ready=lambda p: p.export_chrome_trace(path)) as profiler:
        for _ in range(STEPS):
            step()
            profiler.step()
    if GPU:
        torch.cuda.synchronize()
    data = dump_of_recorder()
    if rank in kept_ranks(world):
        put(folder, "rank%d_trace.json" % rank, trim_trace(path))
        if data:
            put(folder, "comm_traces/rank_%d" % rank, trim_dump(data))
    if rank == 0:
        put(folder, "config.yaml", plan_text(world, nodes, degrees))
        put(folder, "verdict", verdict + "\n")
        keep_logs(folder)
        print(folder)
    dist.barrier()


def main():
    os.environ.setdefault("TORCH_NCCL_TRACE_BUFFER_SIZE", "2000")
    os.environ.setdefault("TORCH_FR_BUFFER_SIZE", "2000")
    os.environ.setdefault("TORCH_NCCL_ENABLE_TIMING", "1")
    if GPU:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    for name in sys.argv[1:] or sorted(JOBS):
        dist.init_process_group(BACKEND)  # anew for each: numbers of groups begin at 0
        torch.manual_seed(dist.get_rank())
        try:
            run(name)
        except Exception as error:  # what this version or backend cannot run is told and left out
            print("%s: rank %d: %s: %s" % (name, dist.get_rank(), type(error).__name__, error), file=sys.stderr)
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
