#!/usr/bin/env python3
"""Writes jobs/NAME/: what small jobs leave behind, right ones and broken ones, and what must be said of them.

jobs/NAME/config.yaml is the plan, jobs/NAME/verdict what `parplan verify` must say of all of the evidence
("match", "insufficient", "mismatch CODE"), the other files the evidence. Run it in this folder: python3
jobs.py. Made up but for the forms; tests/oracle/of/runs keeps those of real jobs. Same bytes every
time."""
import json
import os
import shutil

START = 1750000000000000000
BLOCK, TABLE = 1 << 20, 1 << 22
TOKENS, WIDTH = 256, 1024
SIZE = {"bfloat16": 2, "float32": 4, "int64": 8}
STEPS = 2


class Call:
    """A collective of one rank: on which group, with which shapes, how long it took there (us)."""

    def __init__(self, group, op, into, out, dtype, peer=None, us=50.0):
        self.group, self.op, self.into, self.out = group, op, into, out
        self.dtype, self.peer, self.us = dtype, peer, us


def count(shape):
    product = 1
    for size in shape:
        product *= size
    return product


# ---- jobs ----


class Job:
    """`groups(rank)`: its groups as (description, ranks); `calls(rank)`: what it calls in one step."""

    def __init__(self, name, world, config, verdict, groups, calls, **more):
        self.name, self.world, self.config, self.verdict = name, world, config, verdict
        self.made, self.called, self.more = groups, calls, more

    def groups(self, rank):
        return [("default_pg", list(range(self.world)))] + self.made(rank)

    def members(self, rank, desc):
        return dict(self.groups(rank))[desc]


def axis(size, stride):
    """The group of a rank along an axis."""
    return lambda rank: [rank - rank // stride % size * stride + i * stride for i in range(size)]


def fsdp(desc, ways, gathers=2):
    """FSDP2: parameters in bf16 before the forward and the backward pass, gradients in fp32."""
    calls = []
    for unit, times in ((TABLE, 1), (BLOCK, gathers)):
        calls += [Call(desc, "_allgather_base", [unit // ways], [unit], "bfloat16", us=unit / 1e4)] * times
    for unit in (BLOCK, TABLE):
        calls += [Call(desc, "_reduce_scatter_base", [unit], [unit // ways], "float32", us=unit / 5e3)]
    return calls


def copies(desc, ways):
    return [Call(desc, "allreduce", [unit // ways], [unit // ways], "float32") for unit in (BLOCK, TABLE)]


def loss(desc="default_pg"):
    return [Call(desc, "allreduce", [1], [1], "float32", us=8.0)]


def tensor(desc, ways):
    """Sequence parallelism: activations are gathered and scattered, twice a block and pass."""
    cut, whole = [1, TOKENS // ways, WIDTH], [1, TOKENS, WIDTH]
    return [Call(desc, "_allgather_base", cut, whole, "bfloat16"),
            Call(desc, "_reduce_scatter_base", whole, cut, "bfloat16")] * 4


def pipeline(rank, group):
    at = group.index(rank)
    calls = []
    if at + 1 < len(group):
        calls += [Call("mesh_pp", "send", [1, TOKENS, WIDTH], [1, TOKENS, WIDTH], "bfloat16", group[at + 1]),
                  Call("mesh_pp", "recv", [1, TOKENS, WIDTH], [1, TOKENS, WIDTH], "bfloat16", group[at + 1])]
    if at:
        calls += [Call("mesh_pp", "recv", [1, TOKENS, WIDTH], [1, TOKENS, WIDTH], "bfloat16", group[at - 1]),
                  Call("mesh_pp", "send", [1, TOKENS, WIDTH], [1, TOKENS, WIDTH], "bfloat16", group[at - 1])]
    return calls * 2


def context(desc, ways):
    """Keys and values, gathered: [batch, heads, sequence, head]."""
    cut = [1, 4, TOKENS // ways, 64]
    return [Call(desc, "_allgather_base", cut, [ways] + cut, "bfloat16")] * 4


def buckets(desc):
    """DDP: gradients of all parameters in buckets."""
    return [Call(desc, "allreduce", [size], [size], "float32") for size in (TABLE, BLOCK, 3000)]


def plan(world, node=4, **degrees):
    lines = ["parplan: 1", "framework: {torchtitan: v0.2.2}",
             "cluster: {gpu: a100-80g, nodes: %d, gpus_per_node: %d}" % (world // node, node), "parallelism:"]
    return "\n".join(lines + ["  %s: %d" % item for item in degrees.items()]) + "\n"


SHARD8, SHARD4, SHARD2 = axis(8, 1), axis(4, 1), axis(2, 1)
FAR2, FAR4, FAR8 = axis(2, 4), axis(4, 2), axis(2, 8)
HSDP = plan(8, dp_replicate=2, dp_shard=4)
TENSOR = plan(8, dp_shard=4, tp=2)


def jobs():
    yield Job("fsdp-4", 4, plan(4, dp_shard=4), "match",
              lambda r: [("mesh_fsdp", SHARD4(r))], lambda r: fsdp("mesh_fsdp", 4) + loss(),
              recorder=[0, 1, 2, 3], trace=[0, 1], execution=[1], nccl=[0, 1, 2, 3], init=[2], inspector=[0, 3],
              ras=True, log=("dp_shard", 4), checkpoint="titan-fsdp4", late=1)
    yield Job("hsdp-2x4", 8, HSDP, "match",
              lambda r: [("mesh_dp_replicate", FAR2(r)), ("mesh_fsdp", SHARD4(r))],
              lambda r: fsdp("mesh_fsdp", 4) + copies("mesh_dp_replicate", 4) + loss(),
              recorder=[0, 3, 4, 7], trace=[0, 5], nccl=list(range(8)), ras=True)
    yield Job("tp-2-fsdp-4", 8, TENSOR, "match",
              lambda r: [("mesh_fsdp", FAR4(r)), ("mesh_tp", SHARD2(r))],
              lambda r: tensor("mesh_tp", 2) + fsdp("mesh_fsdp", 4) + loss(), recorder=[0, 1, 6, 7], execution=[5])
    yield Job("pp-2-fsdp-4", 8, plan(8, dp_shard=4, pp=2), "match",
              lambda r: [("mesh_pp", FAR2(r)), ("mesh_fsdp", SHARD4(r))],
              lambda r: pipeline(r, FAR2(r)) + fsdp("mesh_fsdp", 4) + loss(), recorder=[0, 3, 4, 7], trace=[4])
    yield Job("cp-2-fsdp-4", 8, plan(8, dp_shard=4, cp=2), "match",
              lambda r: [("mesh_cp", SHARD2(r)), ("mesh_dp_shard_cp", SHARD8(r))],
              lambda r: context("mesh_cp", 2) + fsdp("mesh_dp_shard_cp", 8) + loss(), recorder=[0, 1, 7], trace=[2])
    yield Job("ddp-4", 4, plan(4, dp_replicate=4, dp_shard=1), "match",
              lambda r: [], lambda r: buckets("default_pg") + loss(), recorder=[0, 3], trace=[1], nccl=[0, 1, 2, 3])
    # Of some groups the size alone is known, and several axes have as many ranks.
    yield Job("hsdp-2x4-cp-2", 16, plan(16, dp_replicate=2, dp_shard=4, cp=2), "insufficient",
              lambda r: [("mesh_dp_replicate", axis(2, 8)(r)), ("mesh_fsdp", SHARD8(r)), ("mesh_cp", SHARD2(r))],
              lambda r: context("mesh_cp", 2) + fsdp("mesh_fsdp", 8, 1) + copies("mesh_dp_replicate", 8) + loss(),
              nccl=[1, 10, 11, 15])
    yield Job("hsdp-2x2-pp-2-tp-2", 16, plan(16, dp_replicate=2, dp_shard=2, pp=2, tp=2), "insufficient",
              lambda r: [("mesh_pp", axis(2, 8)(r)), ("mesh_dp_replicate", axis(2, 4)(r)), ("mesh_fsdp", axis(2, 2)(r)),
                         ("mesh_tp", SHARD2(r))],
              lambda r: tensor("mesh_tp", 2) + pipeline(r, axis(2, 8)(r)) + fsdp("mesh_fsdp", 2, 1) +
              copies("mesh_dp_replicate", 2) + loss(), nccl=[4, 13, 14, 15])
    # Broken ones.
    yield Job("flattened-mesh", 8, HSDP, "mismatch HSDP_COLLAPSED_TO_FSDP",
              lambda r: [("mesh_dp_replicate", FAR2(r)), ("mesh_dp_shard", SHARD4(r))],
              lambda r: fsdp("default_pg", 8) + loss(), recorder=[0, 7], trace=[3], log=("dp_replicate", 2))
    yield Job("sync-missing", 8, HSDP, "mismatch REPLICA_SYNC_MISSING",
              lambda r: [("mesh_dp_replicate", FAR2(r)), ("mesh_fsdp", SHARD4(r))],
              lambda r: fsdp("mesh_fsdp", 4) + loss(), trace=[0, 7])
    yield Job("n-by-1-mesh", 8, HSDP, "mismatch DDP_INSTEAD_OF_SHARD",
              lambda r: [], lambda r: buckets("default_pg") + loss(), recorder=[0, 7], trace=[4])
    # FSDP1 makes NO_SHARD of a mesh of size 1 and reduces nothing: what is not there proves nothing.
    yield Job("n-by-1-unsynced", 8, plan(8, dp_replicate=8, dp_shard=1), "insufficient",
              lambda r: [("mesh_dp_replicate", SHARD8(r))], lambda r: loss(), recorder=[0, 7], trace=[4])
    yield Job("tp-across-nodes", 8, TENSOR, "mismatch DIM_ORDER_SWAPPED",
              lambda r: [("mesh_fsdp", SHARD4(r)), ("mesh_tp", FAR2(r))],
              lambda r: tensor("mesh_tp", 2) + fsdp("mesh_fsdp", 4) + loss(), recorder=[0, 2, 7])
    yield Job("wrong-degree", 8, TENSOR, "mismatch WRONG_DEGREE",
              lambda r: [("mesh_fsdp", FAR2(r)), ("mesh_tp", SHARD4(r))],
              lambda r: tensor("mesh_tp", 4) + fsdp("mesh_fsdp", 2) + loss(), recorder=[0, 5, 7], execution=[1])
    yield Job("unused-cp", 8, plan(8, dp_shard=4, cp=2), "mismatch DIM_UNUSED",
              lambda r: [("mesh_cp", SHARD2(r)), ("mesh_dp_shard_cp", SHARD8(r))],
              lambda r: fsdp("mesh_dp_shard_cp", 8) + loss(), trace=[0, 7])
    yield Job("one-rank-flat", 8, HSDP, "mismatch RANK_DISAGREEMENT",
              lambda r: [("mesh_dp_replicate", FAR2(r)), ("mesh_fsdp", SHARD4(r))],
              lambda r: fsdp("default_pg", 8) + loss() if r == 5 else
              fsdp("mesh_fsdp", 4) + copies("mesh_dp_replicate", 4) + loss(), recorder=[0, 3, 4, 5, 7])
    # The same ranks, and sizes that are no activations'.
    yield Job("fsdp-for-tp", 4, plan(4, tp=4), "insufficient",
              lambda r: [("mesh_fsdp", SHARD4(r))], lambda r: fsdp("mesh_fsdp", 4) + loss(), recorder=[0, 3], trace=[1])
    yield Job("fsdp-without-cp", 8, plan(8, dp_shard=4, cp=2), "insufficient",
              lambda r: [("mesh_fsdp", SHARD8(r))], lambda r: fsdp("mesh_fsdp", 8) + loss(), recorder=[0, 7], trace=[3])
    yield Job("ddp-around-fsdp", 8, plan(8, dp_shard=8), "mismatch EXTRA_TRAFFIC",
              lambda r: [("mesh_fsdp", SHARD8(r))],
              lambda r: fsdp("mesh_fsdp", 8) + [Call("mesh_fsdp", "allreduce", [TABLE + BLOCK], [TABLE + BLOCK],
                                                     "float32")] + loss(), trace=[0, 7])


# ---- flight recorder ----


def group_ids(job, rank):
    """Numbers as new_group gives them: the same on all members."""
    names = {}
    for desc, _ in job.groups(0):
        names[desc] = str(len(names))
    return {desc: names.get(desc, str(9 + len(desc))) for desc, _ in job.groups(rank)}


def recorder_name(call, members, rank):
    if call.op == "send":
        return "send %d->%d" % (members.index(rank), members.index(call.peer))
    if call.op == "recv":
        return "recv %d<-%d" % (members.index(rank), members.index(call.peer))
    return {"_allgather_base": "_all_gather_base", "allreduce": "all_reduce"}.get(call.op, call.op)


TORCH = {"bfloat16": "BFloat16", "float32": "Float", "int64": "Long"}


def recorder(job, rank):
    names, entries = group_ids(job, rank), []
    for call in job.called(rank) * STEPS:
        number = len(entries)
        entries.append({
            "record_id": number, "pg_id": int(names[call.group]), "process_group": [names[call.group], call.group],
            "collective_seq_id": number + 1, "p2p_seq_id": 0, "op_id": number + 1,
            "profiling_name": "nccl:" + recorder_name(call, job.members(rank, call.group), rank),
            "time_created_ns": START + number * 1000000,
            "input_sizes": [call.into], "input_dtypes": [TORCH[call.dtype]],
            "output_sizes": [call.out], "output_dtypes": [TORCH[call.dtype]],
            "state": "completed", "retired": True, "timeout_ms": 600000, "is_p2p": call.peer is not None})
    text = {
        "version": "2.10", "nccl_version": "2.27.5",
        "pg_config": {names[desc]: {"name": names[desc], "desc": desc, "ranks": str(ranks)}
                      for desc, ranks in job.groups(rank)},
        "pg_status": {"0": {"last_enqueued_collective": str(len(entries)), "last_started_collective": "-1",
                            "last_completed_collective": str(len(entries))}},
        "entries": entries}
    return json.dumps(text, separators=(",", ":"))


# ---- profiler ----


def described(job, rank, call, number):
    members = job.members(rank, call.group)
    args = {"External id": number, "Collective name": call.op, "dtype": TORCH[call.dtype],
            "In msg nelems": count(call.into), "Out msg nelems": count(call.out), "Group size": len(members),
            "Process Group Name": group_ids(job, rank)[call.group], "Process Group Description": call.group,
            "Process Group Ranks": str(members)}
    if call.peer is not None:
        args["Dst Rank" if call.op == "send" else "Src Rank"] = call.peer
    return args


def trace(job, rank):
    """Ranks that are not late wait 400 us in every call for the one that is."""
    events, number, at = [], 0, 1000.0
    waiting = 400.0 if job.more.get("late", rank) != rank else 0.0
    for step in range(STEPS):
        begin = at
        for call in job.called(rank):
            number += 1
            args = described(job, rank, call, number)
            took = call.us + (waiting if count(call.out) > 64 else 0)
            events.append({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": at,
                           "dur": 9.5, "args": {**args, "Input Dims": [call.into]}})
            events.append({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic", "pid": 0, "tid": 7,
                           "ts": at + 5, "dur": took, "args": args})
            at += 12.0
        at = begin + 6000.0
        events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % (step + 3), "pid": 1,
                       "tid": 1, "ts": begin, "dur": 6000.0, "args": {}})
    names = group_ids(job, rank)
    whole = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}],
             "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": job.world, "pg_count": len(names),
                                 "pg_config": [{"pg_name": names[desc], "pg_desc": desc, "backend_config": "cuda:nccl",
                                                "pg_size": len(ranks), "ranks": ranks}
                                               for desc, ranks in job.groups(rank)], "nccl_version": "2.27.5"},
             "traceEvents": events, "traceName": "rank%d_trace.json" % rank}
    return json.dumps(whole, separators=(",", ":"))


# ---- execution trace ----


def execution(job, rank):
    names, nodes = group_ids(job, rank), []

    def node(number, name, values=(), shapes=(), types=(), **attrs):
        nodes.append({"id": number, "name": name, "ctrl_deps": 1,
                      "inputs": {"values": list(values), "shapes": list(shapes), "types": list(types)},
                      "outputs": {"values": [], "shapes": [], "types": []},
                      "attrs": [{"name": key, "type": "string" if isinstance(value, str) else "uint64",
                                 "value": value} for key, value in attrs.items()]})

    groups = [{"pg_name": names[desc], "pg_desc": desc, "backend_config": "cuda:nccl",
               "ranks": [] if len(ranks) == job.world else ranks, "group_size": len(ranks),
               "group_count": len(names)} for desc, ranks in job.groups(rank)]
    node(4, "## process_group:init ##", [json.dumps(groups)], [[]], ["String"])
    for step in range(STEPS):
        first = 100 * (step + 1)  # nodes are written when they end: steps behind what they hold
        for number, call in enumerate(job.called(rank)):
            members = job.members(rank, call.group)
            stride = members[1] - members[0]
            node(first + 1 + number, "record_param_comms",
                 [[[9, 9, 0, count(call.into), SIZE[call.dtype], "cuda:0"]], 1, [names[call.group], call.group],
                  members.index(rank if call.peer is None else call.peer), call.op, [], [], members[0], stride, len(members)],
                 [[call.into], [], [[], []], [], [], [], [], [], [], []],
                 ["GenericList[Tensor(%s)]" % {"bfloat16": "c10::BFloat16", "float32": "float"}[call.dtype], "Int",
                  "Tuple[String,String]", "Int", "String", "GenericList[]", "GenericList[]", "Int", "Int", "Int"],
                 collective_name=call.op, dtype=TORCH[call.dtype], in_msg_nelems=count(call.into),
                 out_msg_nelems=count(call.out), in_split_size="[]", out_split_size="[]",
                 global_rank_start=members[0], global_rank_stride=stride, pg_name=names[call.group],
                 pg_desc=call.group, pg_size=len(members))
        node(first, "ProfilerStep#%d" % (step + 3))
    return json.dumps({"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": nodes, "finish_ts": 9},
                      separators=(",", ":"))


# ---- what NCCL leaves ----

NCCL = {"_allgather_base": "AllGather", "_reduce_scatter_base": "ReduceScatter", "allreduce": "AllReduce",
        "send": "Send", "recv": "Recv"}
TYPE = {"float32": 7, "bfloat16": 9, "int64": 4}


def communicator(members):
    """A hash that all members share."""
    return 0x1000 + sum(member * 37 ** i for i, member in enumerate(members)) + (len(members) << 40)


def host(job, rank, node=4):
    return "node%d" % (rank // node)


def nccl(job, rank, calls=True):
    """Groups are made at their first call, those that are never called not at all."""
    prefix = "%s:%d:%d [%d] NCCL INFO " % (host(job, rank), 4000 + rank, 4100 + rank, rank % 4)
    lines, made, number = [prefix + "NCCL version 2.27.5+cuda12.9"], {}, {}
    for call in job.called(rank) * STEPS:
        members = job.members(rank, call.group)
        if call.group not in made:
            made[call.group] = "0x7f%04x0%03x" % (rank, len(made))
            where = "comm %s rank %d nranks %d cudaDev %d nvmlDev %d busId %x000 commId 0x%x" % (
                made[call.group], members.index(rank), len(members), rank % 4, rank % 4, 0x1b + rank % 4,
                communicator(members))
            lines += [prefix + "ncclCommInitRankConfig %s - Init START" % where,
                      prefix + "ncclCommInitRankConfig %s - Init COMPLETE" % where]
        if not calls:
            continue
        at = number[call.group] = number.get(call.group, -1) + 1
        elements = count(call.out) if call.op == "_reduce_scatter_base" else count(call.into)
        root = members.index(call.peer) if call.peer is not None else 0
        lines.append(prefix + "%s: opCount %x sendbuff 0x7f00 recvbuff 0x7f80 count %d datatype %d op 0 root %d "
                     "comm %s [nranks=%d] stream 0x55d0" % (NCCL[call.op], at, elements, TYPE[call.dtype], root,
                                                            made[call.group], len(members)))
    return "\n".join(lines) + "\n"


def ras(job, steps):
    found = {}
    for rank in range(job.world):
        for call in job.called(rank):
            members = tuple(job.members(rank, call.group))
            counts = found.setdefault(members, {}).setdefault(rank, dict.fromkeys(
                ("Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce"), 0))
            if NCCL[call.op] in counts:
                counts[NCCL[call.op]] += steps
    status = {"init_state": 0, "async_error": 0, "finalize_called": False, "destroy_flag": False, "abort_flag": False}
    rows = [{"hash": "0x%x" % communicator(members), "secondary_hash": "0x1:0x2", "size": len(members),
             "ranks_count": len(ranks), "missing_ranks_count": 0,
             "ranks": [{"rank": members.index(rank), "host": host(job, rank), "pid": 4000 + rank,
                        "cuda_dev": rank % 4, "nvml_dev": rank % 4, "status": status, "collective_counts": counts}
                       for rank, counts in sorted(ranks.items())], "missing_ranks": []}
            for members, ranks in sorted(found.items())]
    return json.dumps({"nccl_version": "2.29.1", "cuda_runtime_version": 13000, "cuda_driver_version": 13000,
                       "timestamp": "2026-01-19 13:%02d:53" % steps, "communicators_count": len(rows),
                       "communicators": rows, "ras": {"collection_time_sec": 0.001, "timeouts_count": 0}}, indent=1)


def ras_text(job):
    sizes = {}
    for rank in range(job.world):
        for call in job.called(rank):
            members = tuple(job.members(rank, call.group))
            nodes = len({host(job, member) for member in members})
            sizes.setdefault((len(members), nodes), set()).add(members)
    lines = ["NCCL version 2.27.5 compiled with CUDA 12.9", "", "Job summary", "===========", "",
             "  Nodes  Processes         GPUs  Processes     GPUs",
             "(total)   per node  per process    (total)  (total)",
             "%7d %10d %12d %10d %8d" % (len({host(job, r) for r in range(job.world)}), 4, 1, job.world, job.world),
             "", "Communicators... (0.00s)", "=============", "",
             "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors",
             "    #  in group  per comm  per node  per comm  in group"]
    for i, ((size, nodes), found) in enumerate(sorted(sizes.items())):
        lines.append("%5d %9d %9d %9d %9d %9d   RUNNING      OK" % (i, len(found), nodes, size // nodes, size,
                                                                    size * len(found)))
    return "\n".join(lines) + "\n"


def inspector(job, rank):
    """Calls of 8 KiB and more; `size` of gathers and scatters is one rank's part."""
    lines, number = [], {}
    for call in job.called(rank) * STEPS:
        members = job.members(rank, call.group)
        size = min(count(call.into), count(call.out)) * SIZE[call.dtype]
        if size < 8192:
            continue
        key = (call.group, call.op)
        number[key] = number.get(key, -1) + 1
        lines.append(json.dumps({
            "header": {"id": "0x%x" % communicator(members), "rank": members.index(rank), "n_ranks": len(members),
                       "nnodes": len({host(job, member) for member in members})},
            "metadata": {"inspector_output_format_version": "v4.0", "git_rev": "", "rec_mechanism": "profiler_plugin",
                         "dump_timestamp_us": 1748030377748202, "hostname": host(job, rank), "pid": 4000 + rank},
            "coll_perf": {"coll": NCCL[call.op], "coll_sn": number[key], "coll_msg_size_bytes": size,
                          "coll_exec_time_us": int(call.us), "coll_algobw_gbs": 1.0, "coll_busbw_gbs": 1.0}},
            separators=(",", ":")))
    return "\n".join(lines) + "\n"


def log(job):
    axis_name, degree = job.more["log"]
    degrees = {"pp": 1, "dp_replicate": 1, "dp_shard": job.world // degree, "cp": 1, "tp": 1, "ep": 1, "etp": 1}
    degrees[axis_name] = degree
    said = ", ".join("%s=%d" % item for item in degrees.items())
    head = "[rank0]:[titan] 2026-03-02 09:14:%02d,120 - root - INFO - "
    lines = [head % 5 + "Building device mesh with parallelism: " + said,
             head % 6 + "CUDA capacity: NVIDIA A100-SXM4-80GB with 79.25GiB memory",
             head % 9 + "Applied %s to the model" % ("HSDP" if degrees["dp_replicate"] > 1 else "FSDP"),
             head % 11 + "Training starts at step 1"]
    for step in range(1, 4):
        lines.append(head % (20 + step) + "step: %2d  loss: 12.26313  grad_norm:  1.4402  memory:  2.79GiB(3.52%%)  "
                     "tps: 21,204  tflops: 61.99  mfu: 19.87%%" % step)
    return "\n".join(lines) + "\n"


# ---- all of it ----


def write(name, text):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def leave(job):
    folder, more = "jobs/%s/" % job.name, job.more
    shutil.rmtree(folder, ignore_errors=True)
    write(folder + "config.yaml", job.config)
    write(folder + "verdict", job.verdict + "\n")
    for rank in more.get("recorder", []):
        write(folder + "comm_traces/rank_%d" % rank, recorder(job, rank))
    for rank in more.get("trace", []):
        write(folder + "rank%d_trace.json" % rank, trace(job, rank))
    for rank in more.get("execution", []):
        write(folder + "rank%d_et.json" % rank, execution(job, rank))
    for rank in more.get("nccl", []):
        write(folder + "nccl.%s.%d.log" % (host(job, rank), 4000 + rank), nccl(job, rank))
    for rank in more.get("init", []):
        write(folder + "init/nccl.%d.log" % rank, nccl(job, rank, False))
    for rank in more.get("inspector", []):
        write(folder + "inspector/%s-pid%d.log" % (host(job, rank), 4000 + rank), inspector(job, rank))
    if more.get("ras"):
        write(folder + "ras-1.json", ras(job, 3))
        write(folder + "ras-2.json", ras(job, 9))
        write(folder + "ras.txt", ras_text(job))
    if more.get("log"):
        write(folder + "train.log", log(job))
    if more.get("checkpoint"):
        os.makedirs(folder + "step-1000", exist_ok=True)
        shutil.copy("../dcp/%s.metadata" % more["checkpoint"], folder + "step-1000/.metadata")


if __name__ == "__main__":
    for made in jobs():
        leave(made)
