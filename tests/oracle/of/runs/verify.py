"""Profiler traces and flight-recorder dumps of real jobs: verify must match the config that ran, and match no other one.

A job runs as forked ranks, or under torchrun or accelerate launch. Its evidence is judged whole and with ranks left out;
configs are the one that
ran, the one that was meant where a job is broken, and others of as many ranks. `insufficient` is allowed, a wrong verdict never.
"""
import base64, itertools, json, zlib

VARIES = True  # times
SIZE = {"layers": 2, "hidden": 64, "heads": 4, "ffn": 128, "vocab": 256, "dtype": "float32"}
AXES = ("pp", "dp_replicate", "dp_shard", "tp")
RUNS = [  # pp, dp_replicate, dp_shard, tp, engine
    (1, 1, 2, 1, "fsdp"), (1, 1, 4, 1, "fsdp"), (1, 2, 2, 1, "fsdp"), (1, 2, 1, 1, "ddp"), (1, 4, 1, 1, "ddp"), (1, 1, 1, 2, "tp"),
    (1, 1, 2, 2, "fsdp"), (2, 1, 1, 1, "pp"), (2, 1, 2, 1, "pp"), (4, 1, 1, 1, "pp"), (1, 2, 1, 1, "zero"), (1, 4, 1, 1, "zero"),
    (1, 2, 2, 1, "flattened"), (1, 2, 2, 1, "lost replicas"), (1, 1, 4, 1, "ddp for fsdp"), (1, 1, 2, 2, "tp unused"),
    (1, 1, 4, 1, "wrapped twice"), (1, 1, 3, 1, "fsdp"), (1, 1, 1, 4, "tp"), (1, 2, 3, 1, "fsdp"), (2, 1, 2, 2, "pp"),
    (1, 2, 2, 2, "fsdp"), (2, 2, 2, 1, "pp"),
]
FAITHFUL = ("fsdp", "ddp", "tp", "pp", "zero")  # their groups are those of the degrees
PROMISES = {  # what a broken job must never pass for, and what really ran instead
    "flattened": (1, 1, 4, 1), "ddp for fsdp": (1, 4, 1, 1),
}


def make(rng, version):
    minor = int(version.split(".")[1])
    while True:
        *degrees, engine = rng.choice(RUNS)
        world = degrees[0] * degrees[1] * degrees[2] * degrees[3]
        if minor < 8 and engine not in ("ddp", "zero", "tp"):
            continue  # fully_shard wants streams of a device, and PipelineStage shapes by hand
        if world == 8 and rng.random() < 0.7:
            continue  # eight processes are slow on a small machine
        return {"ran": dict(zip(AXES, degrees)), "engine": engine, "size": dict(SIZE, layers=4 if degrees[0] == 4 else 2),
                "clip": rng.random() < 0.3 and degrees[3] == 1 and engine in FAITHFUL,
                "microbatches": rng.choice([2, 4]) if degrees[0] < 4 else 4,
                "schedule": rng.choice(["1F1B", "GPipe"]), "launch": rng.choice(["torchrun", "accelerate"] + ["forks"] * 10),
                "kept": sorted(rng.sample(range(world), rng.randint(1, world)))}


LAUNCHERS = {
    "torchrun": ["torch.distributed.run", "--nproc-per-node", "%d", "--rdzv-backend", "c10d", "--rdzv-endpoint", "127.0.0.1:0"],
    "accelerate": ["accelerate.commands.launch", "--multi_gpu", "--num_machines", "1", "--num_processes", "%d",
                   "--main_process_port", "0", "--mixed_precision", "no", "--dynamo_backend", "no"],
}


def launched(case, world):
    """The same under a launcher, a process each."""
    import glob, os, subprocess, sys, tempfile

    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/case.json", "w") as file:
            json.dump(case, file)
        words = [word % world if "%" in word else word for word in LAUNCHERS[case["launch"]]]
        done = subprocess.run([sys.executable, "-m", *words, "-m", "of.runs.training", folder + "/case.json", folder],
                              capture_output=True, text=True, timeout=400, env=dict(os.environ, GLOO_SOCKET_IFNAME="lo"))
        files = sorted(glob.glob(folder + "/rank*.json"))
        if len(files) < world:
            raise RuntimeError("%s: %s" % (case["launch"], done.stderr[-800:]))
        return [json.load(open(path)) for path in files]


def ask(case, version):
    import math, os

    os.environ.update(TORCH_FR_BUFFER_SIZE="2000", TORCH_NCCL_TRACE_BUFFER_SIZE="2000")
    from of.runs import training
    from of.torch.gloo import together

    world = math.prod(case["ran"].values())
    answers = launched(case, world) if case["launch"] in LAUNCHERS else together(world, lambda rank: training.train(case), 180)
    for answer in answers:
        if "error" in answer:
            return answer
    files = {name: text for answer in answers for name, text in answer.items()}
    return {"files": {name: base64.b64encode(zlib.compress(text.encode(), 9)).decode() for name, text in files.items()}}


# ---- parplan ----


def config(degrees, version):
    world = degrees["pp"] * degrees["dp_replicate"] * degrees["dp_shard"] * degrees["tp"]
    return "parplan: 1\nframework: {torch: %s}\nworld: %d\nparallelism: %s\n" % (version, world, json.dumps(degrees))


def factorisations(world):
    """All degrees of as many ranks."""
    divisors = [n for n in range(1, world + 1) if world % n == 0]
    for degrees in itertools.product(divisors, repeat=4):
        if degrees[0] * degrees[1] * degrees[2] * degrees[3] == world:
            yield dict(zip(AXES, degrees))


def text_of(degrees):
    return " x ".join("%s %d" % item for item in degrees.items() if item[1] > 1)


def verdicts(case, files, version, parplan, settled=False):
    """None, or the first verdict that is wrong on these files; `settled`: they are enough to be sure of what ran."""
    world, engine = 1, case["engine"]
    for size in case["ran"].values():
        world *= size
    truth = case["ran"] if engine in FAITHFUL else dict(zip(AXES, PROMISES[engine])) if engine in PROMISES else None
    for degrees in factorisations(world):
        path = parplan.file("config.yaml", config(degrees, version))
        got = parplan.json("verify", path, *files)
        if "verdict" not in got:
            return "verify says %s" % got
        have = got["verdict"] if isinstance(got["verdict"], str) else got["verdict"]["kind"]
        if degrees == truth and have == "mismatch":
            return "%s ran, and is a mismatch: %s" % (text_of(degrees), got.get("code"))
        if degrees != truth and have == "match":
            return "%s (%s) ran, %s is a match" % (text_of(case["ran"]), engine, text_of(degrees))
        if degrees == truth and settled and have != "match":
            return "%s ran, and verify is not sure: %s" % (text_of(case["ran"]), [reason["code"] for reason in got["reasons"]])
    got = parplan.json("observe", *files)
    seen = {axis: got["effective"][axis] for axis in AXES}
    if truth and got["solved"] and seen != truth:
        return "%s ran, observe says %s" % (text_of(truth), text_of(seen))
    return None


def compare(case, answer, version, parplan):
    if "error" in answer:
        return "does not run: %s" % answer["error"]
    paths = {name: parplan.file(name, zlib.decompress(base64.b64decode(text))) for name, text in answer["files"].items()}
    traces = [path for name, path in paths.items() if name.endswith("trace.json")]
    dumps = [path for name, path in paths.items() if name.startswith("comm")]
    some = [p for p in traces + dumps if any("rank%d_" % r in p or p.endswith("rank_%d" % r) for r in case["kept"])]
    for files in [traces + dumps, some] + [dumps] * bool(dumps):
        # a trace says who is in a group, a dump what went over it; over gloo neither says between whom sends go
        why = verdicts(case, files, version, parplan, bool(dumps) and files == traces + dumps and case["ran"]["pp"] == 1)
        if why:
            return why
    return None
