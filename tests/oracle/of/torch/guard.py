"""Modules that `parplan guard` writes, run in a real PyTorch on models that are laid out as planned, and on ones that are not.

The fake process group stands in for a backend, one rank after the other. The case names the degrees that are planned and those
that are built; the answer has what check(model) returns or raises on each rank, and the facts that the module was written with.
"""
import json, math

from of.torch import at_least

AXES = ("pp", "dp_replicate", "dp_shard", "tp")
SIZE = {"layers": 2, "hidden": 16, "heads": 4, "ffn": 32, "vocab": 40, "dtype": "float32"}


def has(version):
    """The jobs of this topic slice meshes by several names, which 2.4 is the first release to take."""
    return at_least(version, 4)


def degrees_of(rng, version, world):
    """Degrees of that many ranks which this release can build."""
    minor = int(version.split(".")[1])
    while True:
        degrees = {axis: rng.choice([1, 2, 2, 3, 4, 8]) for axis in AXES}
        pp, replicate, shard, tp = degrees.values()
        if pp * replicate * shard * tp != world or pp > 2 or tp > 4:
            continue
        if tp > 1 and replicate > 1 and (minor < 6 or shard == 1):
            continue  # HSDP of tensors that are cut came with 2.6; DDP takes no DTensors
        if tp > 1 and shard == 3 and minor < 8:
            continue  # uneven with tensor parallelism
        return degrees


def make(rng, version):
    world = rng.choice([2, 4, 4, 6, 8])
    planned = degrees_of(rng, version, world)
    built = planned if rng.random() < 0.4 else degrees_of(rng, version, world)
    size = dict(SIZE, vocab=rng.choice([40, 40, 37, 64] if int(version.split(".")[1]) >= 8 else [40, 64]), layers=rng.choice([2, 4]))
    merged = dict(built, dp_replicate=1, dp_shard=built["dp_replicate"] * built["dp_shard"])  # what fully_shard gets as one flat mesh
    flat = merged not in (built, planned) and built["dp_shard"] > 1 and built["tp"] == 1 and int(version.split(".")[1]) >= 5
    return {"planned": planned, "built": built, "size": size, "flat": flat and rng.random() < 0.3}


def config(case, version):
    world = math.prod(case["planned"].values())
    return ("parplan: 1\nframework: {torch: %s}\nworld: %d\nparallelism: %s\n" % (version, world, json.dumps(case["planned"])) +
            "model: {arch: llama, layers: %(layers)d, hidden: %(hidden)d, heads: %(heads)d, ffn: %(ffn)d, "
            "vocab: %(vocab)d}\n" % case["size"])


def model_of(case):
    from of.torch import llama

    degrees = case["built"]
    if not case["flat"]:
        return llama.build(case["size"], degrees)
    mesh = llama.mesh_of(degrees)
    model = llama.Llama(case["size"], mesh["pp"].get_local_rank() if degrees["pp"] > 1 else 0, degrees["pp"])
    over = mesh["dp_replicate", "dp_shard"]._flatten("flat")
    for block in model.layers.values():
        llama.fully_shard(block, mesh=over)
    return llama.fully_shard(model, mesh=over) or model


def ask(case, version):
    import types

    from harness.parplan import Parplan
    from of.torch.gloo import pretended, together
    import of.torch.llama  # once, before the ranks are forked

    with Parplan() as parplan:
        path = parplan.file("config.yaml", config(case, version))
        done = parplan.run("guard", path)
    if done.returncode:
        return {"refused": done.returncode}
    module = types.ModuleType("parplan_guard")
    exec(done.stdout.replace(path, "config.yaml"), module.__dict__)
    def rank(_):
        try:
            return module.check(model_of(case))
        except AssertionError as error:
            return str(error)

    said = together(math.prod(case["built"].values()), rank, join=pretended)  # a process each: PyTorch remembers places by mesh
    errors = [each for each in said if not isinstance(each, str)]
    return errors[0] if errors else {"plan": module.PLAN, "said": said}


def group(degrees, axes, rank):
    """The ranks that `rank` meets along axes of the canonical order."""
    at, left = {}, rank
    for axis in reversed(AXES):
        at[axis], left = left % degrees[axis], left // degrees[axis]
    ranks = []
    for other in range(math.prod(degrees.values())):
        place, left = {}, other
        for axis in reversed(AXES):
            place[axis], left = left % degrees[axis], left // degrees[axis]
        if all(place[axis] == at[axis] for axis in AXES if axis not in axes):
            ranks.append(other)
    return ranks if len(ranks) > 1 else []


def words(ranks):
    """Ranks as the module prints them."""
    if not ranks:
        return "no other rank"
    runs = []
    for rank in ranks:
        if runs and rank == runs[-1][1] + 1:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    text = ",".join("%d" % a if a == b else "%d-%d" % (a, b) for a, b in runs)
    return "ranks {%s}%s" % (text, " (%d)" % len(ranks) if len(ranks) > 2 else "")


def differs(case, rank):
    """What fully_shard's line must say on a rank: (expected, got) where the groups that share parameters differ."""
    want = group(case["planned"], ["dp_shard"], rank)
    got = group(case["built"], ["dp_replicate", "dp_shard"] if case["flat"] else ["dp_shard"], rank)
    return (words(want), words(got)) if want != got and want and got else None


def compare(case, answer, version, parplan):
    path = parplan.file("config.yaml", config(case, version))
    now = parplan.run("guard", "--emit", "json", path)
    if "refused" in answer:
        return None if now.returncode == answer["refused"] else "a guard was refused, and is not any more"
    if "error" in answer:
        return "raises %s" % answer["error"]
    facts = json.loads(now.stdout)
    for name in set(facts) | set(answer["plan"]):
        if name not in ("schema", "config") and facts.get(name) != answer["plan"].get(name):
            return "its %s were %s, and are %s" % (name, answer["plan"].get(name), facts.get(name))
    right = case["planned"] == case["built"] and not case["flat"]
    for rank, said in enumerate(answer["said"]):
        if right and " is as planned: " not in said:
            return "on rank %d the right layout is stopped: %s" % (rank, said)
        if not right and "rank %d of %d is not laid out as planned from " % (rank, len(answer["said"])) not in said:
            return "on rank %d a wrong layout passes: %s" % (rank, said)
        pair = differs(case, rank)
        if not right and pair and not any(line.startswith("  fully_shard cuts over (") and ": expected %s, got %s" % pair in line
                                          for line in said.split("\n")):
            return "on rank %d no line says that fully_shard was to cut over %s and cuts over %s: %s" % (rank, *pair, said)
    return None


def listed(case, answer, version):
    whole = [case[which].get("dp_shard") == 1 for which in ("planned", "built")]
    if all(whole) and not case["flat"]:
        return "where nobody shares parameters there is no call of fully_shard to hold to the plan: tensor parallelism in DDP's place passes the guard"
    return None
