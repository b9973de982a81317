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
    packed()
