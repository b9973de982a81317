#!/usr/bin/env python3
"""Writes slow/: what slow runs of plans/hsdp-2x8.yaml leave behind (llama3-8b on 2 nodes of 8 H100), each with
one thing that is known to be wrong. Made up but for the forms; run it in this folder: python3 slow.py."""
import json
import os

STEPS = 2
UNIT = 218112000  # parameters of a block
HEAD = "[titan] 2026-03-02 09:%02d:%02d,120 - root - INFO - "


def log(seconds, batch=16, sequence=8192, memory=48.7, extra=()):
    """TorchTitan's log of a run whose steps take so long."""
    speed = batch * sequence / seconds / 16
    lines = [HEAD % (14, 5) + "Building device mesh with parallelism: pp=1, dp_replicate=2, dp_shard=8, cp=1, tp=1, ep=1, etp=1",
             HEAD % (14, 6) + "Trainer is initialized with local batch size %d, global batch size %d, gradient "
             "accumulation steps 1, sequence length %d, total steps 1000 (warmup 40)" % (batch // 16, batch, sequence)]
    lines += [HEAD % (14, 20) + text for text in extra]
    for step in (1, 10, 20, 30, 40):
        lines.append(HEAD % (15, step) + "step: %2d  loss: 11.02441  grad_norm:  3.9120  memory: %.2fGiB(%.2f%%)  tps: %s  "
                     "tflops: 359.42  mfu: 36.34%%" % (step, memory, memory / 79.65 * 100, "{:,}".format(round(speed))))
    return "\n".join(lines) + "\n"


def event(cat, name, at, took, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 7, "ts": at, "dur": took, "args": args}


def trace(rank, compute, gap=0.0, load=0.0, passes=1, shard=1200.0, copies=2600.0, times=1, wait=0.0):
    """One step, twice: a batch, kernels that compute, gaps between them, collectives behind them (us)."""
    groups = {"mesh_fsdp": list(range(rank // 8 * 8, rank // 8 * 8 + 8)), "mesh_dp_replicate": [rank % 8, rank % 8 + 8]}
    names = {"mesh_fsdp": "1", "mesh_dp_replicate": "2"}
    events, at, number = [], 1000.0, 0

    def call(desc, op, into, out, dtype, took):
        nonlocal at, number
        number += 1
        args = {"External id": number, "Collective name": op, "dtype": dtype, "In msg nelems": into,
                "Out msg nelems": out, "Group size": len(groups[desc]), "Process Group Name": names[desc],
                "Process Group Description": desc, "Process Group Ranks": str(groups[desc])}
        events.append(event("cpu_op", "record_param_comms", at, 9.5, **args, **{"Input Dims": [[into]]}))
        events.append(event("kernel", "ncclDevKernel_Generic", at, took, **args))
        at += took

    for step in range(STEPS):
        begin = at
        if load:
            events.append(event("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", at, load))
            at += load
        call("mesh_fsdp", "_allgather_base", UNIT // 8, UNIT, "BFloat16", shard + wait)
        for part in range(4):
            for attention in range(passes if part % 2 else 1):
                name = "pytorch_flash::flash_fwd_kernel" if part < 2 or attention else "flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel"
                events.append(event("kernel", name, at, 1000.0))
                at += 1000.0
            events.append(event("kernel", "nvjet_hsh_128x256_64x4", at, compute / 4 - 1000.0))
            at += compute / 4 - 1000.0 + gap / 4
        call("mesh_fsdp", "_reduce_scatter_base", UNIT, UNIT // 8, "Float", 2 * shard + wait)
        for _ in range(times):
            call("mesh_dp_replicate", "allreduce", UNIT // 8, UNIT // 8, "Float", copies)
        events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % (step + 3), "pid": 1,
                       "tid": 1, "ts": begin, "dur": at - begin, "args": {}})
    rows = [{"pg_name": names[desc], "pg_desc": desc, "backend_config": "cuda:nccl", "pg_size": len(ranks), "ranks": ranks}
            for desc, ranks in groups.items()]
    return json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],
                       "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 16, "pg_count": 3,
                                           "pg_config": rows, "nccl_version": "2.27.5"},
                       "traceEvents": events}, separators=(",", ":")) + "\n"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


write("slow/steps.log", log(1.6))
write("slow/batch.log", log(2.4, batch=32, memory=66.0))
write("slow/memory.log", log(1.7, memory=77.9, extra=["12 CUDA memory allocation retries."]))
write("slow/sockets.log", log(1.6, extra=[
    "node0:4000:4100 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.4<0>",
    "node0:4000:4100 [0] NCCL INFO Using network Socket"]))
write("slow/recompute/train.log", log(1.5, memory=33.0))
write("slow/recompute/rank0_trace.json", trace(0, 1.4e6, passes=2))
write("slow/waiting/rank0_trace.json", trace(0, 1.0e6, gap=4e5, load=2.5e5))
write("slow/network/rank0_trace.json", trace(0, 1.02e6, copies=2.6e4, times=12))
write("slow/straggler/rank0_trace.json", trace(0, 1.02e6, wait=4e5))
write("slow/straggler/rank5_trace.json", trace(5, 1.8e6))
