"""Flight recorders of worlds that hang, and what PyTorch's own analyser of them (torch.distributed.flight_recorder) finds.

Ranks are processes over gloo. They make the calls of a script; in the last one a rank never comes, makes another call, or one
of another size, and each dumps at once: calls that do not agree may end a process. gloo tells neither members of groups nor when a call began or ended: both
are filled in as NCCL's recorder has them. Both programs then read the same files.
"""
import base64, os, zlib

from of.torch import at_least

VARIES = True  # times
CALLS = ["all_reduce", "all_gather", "broadcast"]


def has(version):
    """The first release whose analyser is at hand as a module and takes gloo's calls."""
    return at_least(version, 13)


def make(rng, version):
    world = rng.choice([3, 4, 4, 6, 8])
    groups = [list(range(world))]
    if world % 2 == 0:
        half = world // 2
        groups += [list(range(half)), list(range(half, world))] if rng.random() < 0.5 else [list(range(0, world, 2)), list(range(1, world, 2))]
    calls = [[rng.choice(CALLS), rng.choice([0, 0, 1]) if len(groups) > 1 else 0, rng.choice([4, 6, 16])] for _ in range(rng.randint(2, 6))]
    last = rng.randrange(len(groups))
    calls.append([rng.choice(CALLS), last, rng.choice([4, 6, 16])])
    kind = rng.choice(["missing", "missing", "call", "size"])
    if kind == "size":
        calls[-1][0] = "all_reduce"
    return {"groups": groups, "calls": calls, "kind": kind, "culprit": rng.choice(groups[last])}


# ---- inside the environment ----


def begin(name, size, group, members):
    import torch
    import torch.distributed as dist

    tensor = torch.ones(size)
    if name == "all_gather":
        return dist.all_gather([torch.ones(size) for _ in members], tensor, group=group, async_op=True)
    if name == "broadcast":
        return dist.broadcast(tensor, members[0], group=group, async_op=True)
    return dist.all_reduce(tensor, group=group, async_op=True)


def play(case):
    def rank(number):
        import torch.distributed as dist
        from torch._C._distributed_c10d import _dump_fr_trace

        made = [dist.group.WORLD] + [dist.new_group(ranks, group_desc="mesh_tp") for ranks in case["groups"][1:]]
        works = []
        for at, (name, index, size) in enumerate(case["calls"]):
            last = at == len(case["calls"]) - 1
            if index and not last:  # both halves make the calls of one
                index = 1 if number in case["groups"][1] else 2
            odd = last and number == case["culprit"]
            if number not in case["groups"][index] or (odd and case["kind"] == "missing"):
                continue
            if odd and case["kind"] == "call":
                name = CALLS[(CALLS.index(name) + 1) % len(CALLS)]
            works.append(begin(name, size + 8 * (odd and case["kind"] == "size"), made[index], case["groups"][index]))
            if not last:
                works[-1].wait()
        return base64.b64encode(zlib.compress(_dump_fr_trace(True, False, False), 9)).decode()

    return rank


def as_nccl(case, rank, dump):
    """A rank's dump with what NCCL's recorder tells besides."""
    calls, last = dump["entries"], case["calls"][-1][1]
    dump["pg_config"] = {}
    for entry in calls:
        name, desc = entry["process_group"]
        index = 0 if desc == "default_pg" else 1 if rank in case["groups"][1] else 2
        dump["pg_config"][name] = {"name": name, "desc": desc, "ranks": str(case["groups"][index])}
        entry["retired"], entry["state"] = True, "completed"
    came = rank in case["groups"][last] and not (case["kind"] == "missing" and rank == case["culprit"])
    if came:
        calls[-1].update(retired=False, state="started")
    return dump


def found(folder):
    """What fr_trace finds: the first call of each group that is not whole."""
    from torch.distributed.flight_recorder.components.builder import build_db
    from torch.distributed.flight_recorder.components.config_manager import JobConfig
    from torch.distributed.flight_recorder.components.loader import read_dir

    arguments = JobConfig().parse_args([folder, "--prefix", "rank_"])
    first = {}
    for call in build_db(*(lambda details, version: (details, arguments, version))(*read_dir(arguments))).collectives:
        if (not call.pass_check or call.missing_ranks) and call.group_id not in first:
            first[call.group_id] = {"ranks": sorted(call.expected_ranks), "sequence": call.collective_seq_id,
                                    "missing": sorted(call.missing_ranks or []), "differ": sorted(call.mismatch_collectives or [])}
    return list(first.values())


def ask(case, version):
    import pickle, shutil, tempfile

    from of.torch.gloo import together

    os.environ["TORCH_FR_BUFFER_SIZE"] = "100"
    for _ in range(4):  # sometimes the call that does not agree is quicker than the dump
        dumps = together(len(case["groups"][0]), play(case))
        crashed = [dump for dump in dumps if isinstance(dump, dict)]
        if not crashed:
            break
    if crashed:
        return crashed[0]
    folder = tempfile.mkdtemp(prefix="parplan-stuck-")
    try:
        for rank, dump in enumerate(dumps):
            dump = pickle.dumps(as_nccl(case, rank, pickle.loads(zlib.decompress(base64.b64decode(dump)))), 2)
            dumps[rank] = base64.b64encode(zlib.compress(dump, 9)).decode()
            with open("%s/rank_%d" % (folder, rank), "wb") as file:
                file.write(pickle.dumps(pickle.loads(dump), 2))
        return {"dumps": dumps, "found": found(folder)}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# ---- parplan ----


def compare(case, answer, version, parplan):
    """All that fr_trace finds is found, and nobody else is blamed."""
    if "dumps" not in answer:
        return "no dumps: %s" % answer
    files = [parplan.file("stuck/rank_%d" % rank, zlib.decompress(base64.b64decode(dump))) for rank, dump in enumerate(answer["dumps"])]
    for command in "why", "observe":
        got = parplan.json(command, *files)
        culprits = got.get("culprits") or got.get("hang", {}).get("culprits", [])
        for call in answer["found"]:
            here = [c for c in culprits if c["rank"] in call["ranks"] and c["sequence"] == call["sequence"]]
            late = sorted(c["rank"] for c in here if c["class"] in ("missing", "behind"))
            odd = sorted(c["rank"] for c in here if c["class"] == "mismatched")
            if late != call["missing"]:
                return "%s: %s are missing in call %d of %s, parplan says %s" % (command, call["missing"], call["sequence"], call["ranks"], culprits)
            # fr_trace holds the others against the first rank, parplan against most; of two halves all are told
            others = [rank for rank in call["ranks"] if rank not in call["differ"]]
            if call["differ"] and odd not in (call["differ"], others, call["ranks"]):
                return "%s: %s differ in call %d of %s, parplan says %s" % (command, call["differ"], call["sequence"], call["ranks"], culprits)
        if len(culprits) > sum(len(call["ranks"]) for call in answer["found"]):
            return "%s: more than fr_trace finds: %s" % (command, culprits)
    return None
