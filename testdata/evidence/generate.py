#!/usr/bin/env python3
"""Writes the small dumps, traces and checkpoints beside it, as PyTorch writes them.

Run it in this folder: python3 generate.py. Made up but for the forms; same bytes every time.
"""
import gzip
import json
import os
import pickle
import subprocess

START = 1750000000000000000


def entry(number, group, name, sizes, out, dtype, **more):
    row = {
        "record_id": number,
        "pg_id": 0,
        "process_group": group,
        "collective_seq_id": number + 1,
        "p2p_seq_id": 0,
        "op_id": number + 1,
        "profiling_name": "nccl:" + name,
        "time_created_ns": START + number * 1000000,
        "input_sizes": sizes,
        "input_dtypes": [dtype] if dtype else [],
        "output_sizes": out,
        "output_dtypes": [dtype] if dtype else [],
        "state": "completed",
        "time_discovered_started_ns": None,
        "time_discovered_completed_ns": START + number * 1000000 + 900000,
        "retired": True,
        "timeout_ms": 600000,
        "is_p2p": False,
        "frames": [{"name": "step", "filename": "train.py", "line": 3}],
    }
    row.update(more)
    return row


WORLD = ("0", "default_pg")
SHARD = ("2", "mesh_dp_shard")
REPLICATE = ("3", "mesh_dp_replicate")


def dump(entries, groups, **more):
    return {
        "version": "2.9",
        "pg_config": {
            name: {"name": name, "desc": desc, "ranks": str(ranks)}
            for (name, desc), ranks in groups
        },
        "nccl_version": "2.27.5",
        "pg_status": {
            "0": {
                "last_enqueued_collective": len(entries),
                "last_started_collective": -1,
                "last_completed_collective": len(entries),
            }
        },
        "entries": entries,
        **more,
    }


def steps(first=0):
    calls = [
        (SHARD, "_all_gather_base", [[100]], [[200]], "BFloat16"),
        (SHARD, "_all_gather_base", [[100]], [[200]], "BFloat16"),
        (SHARD, "_reduce_scatter_base", [[200]], [[100]], "Float"),
        (REPLICATE, "all_reduce", [[100]], [[100]], "Float"),
        (WORLD, "all_reduce_barrier", [[1]], [[1]], "Float"),
        (WORLD, "send 1->3", [[4, 1, 8]], [[4, 1, 8]], "BFloat16"),
        (WORLD, "recv 1<-0", [[4, 1, 8]], [[4, 1, 8]], "BFloat16"),
        (SHARD, "coalesced", [], [], None),
        (SHARD, "all_gather", [[3, 4]], [[3, 4], [3, 4]], "Half"),
    ]
    return [entry(first + i, *call) for i, call in enumerate(calls)]


GROUPS = [(WORLD, [0, 1, 2, 3]), (SHARD, [0, 1]), (REPLICATE, [1, 3])]


def write(name, data):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "wb") as file:
        file.write(data)


def write_pickle(name, value):
    write(name, pickle.dumps(value, protocol=2))


def write_json(name, value):
    write(name, json.dumps(value, sort_keys=True).encode())


def recorder():
    timed = steps()
    timed[0]["duration_ms"] = 0.5
    timed[1]["duration_ms"] = 0.25
    write_pickle("recorder/rank_1", dump(timed, GROUPS))
    # The ring has turned: the first hundred are lost; the name does not tell the rank.
    write_pickle("recorder/wrapped.pickle", dump(steps(100), GROUPS))
    # Only what was under way, with gaps between.
    active = [steps()[0], steps()[3]]
    for number, row in zip((70, 90), active):
        row.update(record_id=number, state="scheduled", retired=False)
    write_pickle("recorder/active_1", dump(active, GROUPS))
    # JSON has its members in order, statuses as texts, and no absent times.
    whole = dump(steps(), GROUPS)
    for status in whole["pg_status"].values():
        status.update((key, str(value)) for key, value in status.items())
    write_json("recorder/json_1.json", whole)
    with open("recorder/json_1.json", "rb") as file:
        text = file.read()
    write("recorder/cut_1.json", text[: text.index(b'"record_id": 3')])
    with open("recorder/rank_1", "rb") as file:
        write("recorder/cut_1", file.read()[:600])
    # Before version 2.4: no groups, numbers alone.
    old = steps()[:2]
    for row in old:
        del row["process_group"]
    write_pickle("recorder/old_0", {"version": "2.0", "entries": old})


def event(name, at, took, category="cpu_op", **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": at, "dur": took,
            "args": args}


def comms(number, at, name, group, into, out, dtype, **more):
    pg, desc, ranks, start, stride, size = group
    described = {
        "External id": number,
        "Collective name": name,
        "In msg nelems": into,
        "Out msg nelems": out,
        "Group size": size,
        "dtype": dtype,
        "In split size": "[]",
        "Out split size": "[]",
        "Process Group Name": pg,
        "Process Group Description": desc,
        "Process Group Ranks": ranks,
        "Global rank start": start,
        "Global rank stride": stride,
    }
    described.update(more)
    return [
        event("record_param_comms", at, 20.5, **described),
        event("ncclDevKernel_Generic", at + 30, 100.25 + number, "kernel", **described),
    ]


LONG = "[" + "".join(f"{8 * i}, " for i in range(29)) + "..., 312]"
TRACED_WORLD = ("0", "default_pg", LONG, 0, 1, 40)
TRACED_PAIR = ("5", "mesh_tp", "[0, 1]", 0, 1, 2)
TRACED_LONG = ("7", "mesh_dp_shard", LONG, 0, 8, 40)


def profiled_steps():
    events = []
    for step in range(2):
        at = 1000.0 + 1000 * step
        events += [event(f"ProfilerStep#{3 + step}", at, 1000.0, "user_annotation")]
        events += [event(f"ProfilerStep#{3 + step}", at + 50, 900.0, "gpu_user_annotation")]
        events += comms(1 + 10 * step, at + 10, "_allgather_base", TRACED_PAIR, 12, 24, "BFloat16",
                        **{"Input Dims": [[3, 4], [], []]})
        events += comms(2 + 10 * step, at + 20, "_allgather_base", TRACED_PAIR, 12, 24, "BFloat16",
                        **{"Input Dims": [[3, 4], [], []]})
        events += comms(3 + 10 * step, at + 30, "allreduce", TRACED_LONG, 7, 7, "Float",
                        **{"Input Dims": [[[7]], []]})
        events += comms(4 + 10 * step, at + 40, "send", TRACED_PAIR, 8, 8, "Float",
                        **{"Dst Rank": 1})
        events += [comms(5 + 10 * step, at + 50, "wait", ("", "", "[]", 0, 0, 1), 0, 0, "Byte")[0]]
    return events


INFO = {
    "backend": "nccl",
    "rank": 0,
    "world_size": 320,
    "pg_count": 71,
    "pg_config": [
        {"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": 320,
         "ranks": list(range(320))},
        {"pg_name": "5", "pg_desc": "mesh_tp", "backend_config": "cpu:gloo,cuda:nccl",
         "pg_size": 2, "ranks": [0, 1]},
        {"pg_name": "6", "pg_desc": "mesh_cp", "backend_config": "fake", "pg_size": 1,
         "ranks": [0]},
    ],
    "nccl_version": "2.27.5",
}


def profiler():
    head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}]}
    whole = {**head, "distributedInfo": INFO, "traceEvents": profiled_steps(), "traceName": "t"}
    text = json.dumps(whole)
    write("profiler/rank0_trace.json", text.encode())
    write("profiler/rank0_cut.json", text[: text.rindex("gpu_user_annotation")].encode())
    # On demand: groups behind the events, those that were used, their ranks a text that is cut.
    groups = [{"pg_name": "7", "pg_desc": "mesh_dp_shard", "backend_config": "nccl",
               "pg_size": 40, "ranks": LONG}]
    info = {**INFO, "pg_config": groups, "nccl_version": "unknown"}
    late = {**head, "traceEvents": profiled_steps()[:6], "distributedInfo": info}
    write("profiler/on-demand.json", json.dumps(late).encode())
    # Spring 2024: a number for the group. A kernel without its collective, a graph, another's kernel.
    numbered = [event("record_param_comms", 5, 2, **{
        "External id": 1, "Collective name": "reduce_scatter", "dtype": "Half",
        "In msg nelems": 8, "Out msg nelems": 2, "Group size": 4, "Process Group ID": 3,
        "Process Group Ranks": "[0, 1, 4, 5]", "Global rank start": 0, "Global rank stride": -1})]
    numbered += [event("ncclKernel_AllReduce_RING_LL", 9, 3, "kernel", grid=[8, 1, 1]),
                 event("cudaGraphLaunch", 8, 3, "cuda_runtime"),
                 event("void deep_ep::intranode::combine<1>(int)", 9, 3, "kernel")]
    write("profiler/rank-4.json", json.dumps({**head, "traceEvents": numbered}).encode())
    # Before 2.4: marks alone.
    old = [event("ProfilerStep#9", 1, 50, "user_annotation"),
           event("record_param_comms", 5, 9),
           event("nccl:all_reduce", 6, 5, "user_annotation",
                 **{"Input Dims": [[5, 5]], "Input type": ["c10::BFloat16"]}),
           event("nccl:all_reduce", 7, 5, "gpu_user_annotation")]
    old_info = {"backend": "nccl", "rank": 1, "world_size": 8}
    write("profiler/old.json",
          json.dumps({**head, "distributedInfo": old_info, "traceEvents": old}).encode())
    write("profiler/graphs.json", json.dumps({**head, "traceEvents": numbered[1:3]}).encode())


def node(number, name, values=(), shapes=(), types=(), **attrs):
    return {
        "id": number,
        "name": name,
        "ctrl_deps": 1,
        "inputs": {"values": list(values), "shapes": list(shapes), "types": list(types)},
        "outputs": {"values": [], "shapes": [], "types": []},
        "attrs": [{"name": key, "type": "string" if isinstance(value, str) else "uint64",
                   "value": value} for key, value in attrs.items()],
    }


def called(number, name, rank, group, into, out, shape):
    pg, desc, start, stride, size = group
    return node(
        number, "record_param_comms",
        [[[434, 435, 0, into, 4, "cuda:1"]], 33, [pg, desc], rank, name, [], [], start, stride, size],
        [[shape], [], [[], []], [], [], [], [], [], [], []],
        ["GenericList[Tensor(float)]", "Int", "Tuple[String,String]", "Int", "String",
         "GenericList[]", "GenericList[]", "Int", "Int", "Int"],
        collective_name=name, dtype="Float", in_msg_nelems=into, out_msg_nelems=out,
        in_split_size="[]", out_split_size="[]", global_rank_start=start,
        global_rank_stride=stride, pg_name=pg, pg_desc=desc, pg_size=size)


def execution():
    """Nodes are written when they end: steps behind what they hold."""
    world, pair = ("0", "default_pg", 0, 1, 4), ("2", "mesh_pp", 1, 2, 2)
    groups = [{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "ranks": [],
               "group_size": 4, "group_count": 2},
              {"pg_name": "2", "pg_desc": "mesh_pp", "backend_config": "cuda:nccl",
               "ranks": [1, 3], "group_size": 2, "group_count": 2}]
    nodes = [node(4, "## process_group:init ##", [json.dumps(groups)], [[]], ["String"])]
    for step in range(2):
        first = 10 + 10 * step
        nodes += [called(first + 1, "broadcast", 0, world, 9, 9, [9]),
                  called(first + 2, "allreduce", 3, world, 12, 12, [3, 4]),
                  called(first + 3, "recv", 0, pair, 8, 8, [2, 2, 2]),
                  called(first + 4, "wait", 0, world, 0, 0, []),
                  node(first, f"ProfilerStep#{step + 6}")]
    trace = {"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": nodes, "finish_ts": 9}
    write("execution/trace.json", json.dumps(trace).encode())
    text = json.dumps(trace)
    write("execution/cut_rank1.json", text[: text.index('"id": 22')].encode())
    bare = {**trace, "nodes": [node(5, "record_param_comms")]}
    write("execution/bare.json", json.dumps(bare).encode())


def packed():
    """zstd is not in Python: the command writes it."""
    with open("recorder/rank_1", "rb") as file:
        write("packed/rank_1.gz", gzip.compress(file.read(), mtime=0))
    subprocess.run(["zstd", "-qf", "recorder/rank_1", "-o", "packed/rank_1.zst"], check=True)
    whole = dump([row for i in range(40) for row in steps(9 * i)], GROUPS)
    text = gzip.compress(json.dumps(whole, sort_keys=True).encode(), mtime=0)
    write("packed/cut_1.json.gz", text[: len(text) // 2])


if __name__ == "__main__":
    recorder()
    profiler()
    execution()
    packed()
