"""Runs the modules that `parplan guard` writes against models built from `parplan plan`: run.py FOLDER.

The fake torch beside this file stands in for PyTorch. A model that is laid out by the same plan must pass on every
rank; one laid out otherwise must be told from it in words. Ends with 'N passed, N failed'."""
import glob, importlib.util, itertools, json, os, py_compile, re, sys, warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serve.client import run

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate, Shard, StridedShard, Tensor, mesh_of

FOLDER = sys.argv[1]
warnings.simplefilter("error")


class Named:
    """An object with these attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Module:
    """A model or a pipeline stage, flat: parameters and modules by their full names."""

    def __init__(self):
        self.parameters, self.modules = {}, {}

    def named_parameters(self):
        return self.parameters.items()

    def named_modules(self):
        return self.modules.items()


def parplan(*words):
    return run(words)


def guard_of(config, *words):
    """The module that is written for a config, imported; None when there is none."""
    done = parplan("guard", config, *words)
    if done.returncode:
        return None
    path = os.path.join(FOLDER, "parplan_guard.py")
    with open(path, "w") as file:
        file.write(done.stdout)
    py_compile.compile(path, cfile=path + "c", doraise=True)
    spec = importlib.util.spec_from_file_location("parplan_guard", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plan_of(config, ranks, *words):
    done = parplan("plan", config, "--format", "json", "--rank", ranks, *words)
    return json.loads(done.stdout)


def placement(word):
    kind, numbers = re.match(r"([A-Z]+)(?:\(([0-9,]+)\))?$", word).groups()
    numbers = [int(n) for n in (numbers or "").split(",") if n]
    return Replicate() if kind == "R" else Shard(numbers[0]) if kind == "S" else StridedShard(*numbers)


def names_of(given):
    """What fully_shard was given, (replicate,) shard; named dims are one mesh that PyTorch flattens."""
    if isinstance(given["mesh"], list):
        return given["mesh"]
    shard = "_".join(given["mesh"]["shard"])
    return [given["mesh"]["replicate"], shard] if given["mesh"]["replicate"] else [shard]


def layouts_of(plan):
    """By name: what the plan's meshes are, and what fully_shard was given."""
    found = {name: (name, mesh["layout"]["sizes"], mesh["layout"]["strides"]) for name, mesh in plan["meshes"].items()}
    for given in (plan["data_parallel"], plan["data_parallel"].get("expert")):
        names = names_of(given) if given and given["mesh"] else []
        for name, role in zip(names, ("replicate", "shard") if len(names) == 2 else ("shard",)):
            if given[role]["sizes"]:
                found.setdefault(name, (name, given[role]["sizes"], given[role]["strides"]))
    return found


def fully_sharded(given, layouts, rank, parameters):
    """A module on which fully_shard was called with the mesh of the plan."""
    names = names_of(given)
    mesh = mesh_of([layouts[name] for name in names], rank)
    info = Named(mesh=mesh, shard_mesh_dim=len(names) - 1, replicate_mesh_dim=0 if len(names) == 2 else None)
    group = Named(mesh_info=info, fsdp_params=[Named(sharded_param=p) for p in parameters])
    state = Named(_fsdp_param_group=group)
    return Named(_get_fsdp_state=lambda: state)


def model_of(plan, rank, wrap=""):
    """The stages of a rank as the plan lays them out."""
    layouts, parts = layouts_of(plan), {}
    ddp = plan["data_parallel"]["applied"] == "ddp"
    for row in plan["parameters"]:
        local = [each for each in row["local"] if each["rank"] == rank]
        if not local:
            continue
        dims = [(layouts[n], placement(w)) for n, w in zip(row["mesh"], row["placements"]) if not (ddp and w == "R")]
        part = parts.setdefault(row["stage"], Module())
        if dims:
            value = DTensor(row["shape"], mesh_of([d[0] for d in dims], rank), [d[1] for d in dims], local[0]["shape"])
        else:
            value = Tensor(row["shape"])
        part.parameters[wrap + row["fqn"]] = value
    given = plan["data_parallel"]
    for unit in [] if ddp else plan["units"]:
        part = parts.get(unit["stage"])
        if part:
            expert = unit["expert"] and "expert" in given
            own = [p for n, p in part.parameters.items() if n.startswith(wrap + unit["name"]) and ("expert" not in given or ("experts." in n) == expert)]
            part.modules[wrap + unit["name"]] = fully_sharded(given["expert"] if expert else given, layouts, rank, own)
    return list(parts.values())


def outcome(guard, model, rank, world, **more):
    dist.SEEN_FROM.update(rank=rank, world=world)
    try:
        return guard.check(model, **more)
    except AssertionError as error:
        return str(error)


class Tally:
    def __init__(self):
        self.passed, self.failed = 0, 0

    def expect(self, what, got, want):
        good = got == want if isinstance(want, str) else bool(want(got))
        self.passed, self.failed = self.passed + good, self.failed + (not good)
        if not good:
            print("%s:\n%s" % (what, got if not isinstance(want, str) else "%s\n-- instead of\n%s" % (got, want)))


def ranks_of(world):
    """Some ranks of each kind."""
    return sorted({0, 1 % world, world // 3, world - 1})


MAIN = ("--framework", "torchtitan@HEAD", "--framework", "torch@2.14")
NAMED = (*MAIN, "--set", "parallelism.spmd_backend=spmd_types")


def right_plans(tally):
    """Every example that has no errors: the plan's own model passes, wrapped or not."""
    configs = sorted(glob.glob("plans/*.*") + glob.glob("plans/incidents/*.*"))
    for config, words in itertools.product(configs, ((), MAIN, NAMED)):
        guard = guard_of(config, *words)
        if not guard:
            continue
        world, samples = guard.PLAN["world_size"], guard.PLAN["samples"]
        ranks = ranks_of(world)
        names = [re.escape(sample["fqn"]) + "$" for sample in samples] + [r"experts\."]
        plan = plan_of(config, ",".join(map(str, ranks)), "--param", "|".join(names), *words)
        for rank in ranks:
            held = sum(guard.PLAN["pp"] is None or guard._index(guard.PLAN["pp"], rank) == s["pp_rank"] for s in samples)
            for wrap in ("", "_orig_mod.", "module.", "_checkpoint_wrapped_module.") if rank == 1 else ("",):
                got = outcome(guard, model_of(plan, rank, wrap), rank, world)
                want = r"parplan guard: rank %d is as planned: \d+ calls of fully_shard, %d parameters, mesh dimensions [\w ()]+$" % (rank, held)
                tally.expect("%s, rank %d" % (config, rank), got, lambda text: re.match(want, text) and (held > 1 or not samples))


def has(*lines):
    """True for a report with all of these lines."""
    return lambda text: all("\n  %s" % line in text for line in lines)


def wrong_plans(tally):
    guard, plan = guard_of("plans/hsdp-2x8.yaml"), plan_of("plans/incidents/hsdp-collapse.yaml", "9")
    keys = "[parallelism.dp_replicate: 2, parallelism.dp_shard: 8]"
    samples = "layers.0.attention.wq.weight, layers.0.feed_forward.w3.weight and 1 more"
    tally.expect("collapsed", outcome(guard, model_of(plan, 9), 9, 16), """parplan guard: rank 9 of 16 is not laid out as planned from plans/hsdp-2x8.yaml
  fully_shard cuts over (layers.0, layers.1 and 31 more): expected ranks {8-15} (8), got ranks {0-15} (16) %(keys)s
  fully_shard repeats over (layers.0, layers.1 and 31 more): expected ranks {1,9}, got no other rank %(keys)s
  dim 0 cut (%(samples)s): expected over ranks {8-15} (8), got over ranks {0-15} (16) %(keys)s
  repeated over (%(samples)s): expected ranks {1,9}, got no other rank %(keys)s
  local shape (layers.0.attention.wq.weight): expected [512, 4096], got [256, 4096] %(keys)s
  global offset (layers.0.attention.wq.weight): expected [512, 0], got [2304, 0] %(keys)s
  local shape (layers.0.feed_forward.w3.weight): expected [1792, 4096], got [896, 4096] %(keys)s
  global offset (layers.0.feed_forward.w3.weight): expected [1792, 0], got [8064, 0] %(keys)s
  local shape (tok_embeddings.weight): expected [16032, 4096], got [8016, 4096] %(keys)s
  global offset (tok_embeddings.weight): expected [16032, 0], got [72144, 0] %(keys)s""" % {"keys": keys, "samples": samples})
    tally.expect("other world", outcome(guard, [], 0, 32), "parplan guard: rank 0 of 32 is not laid out as planned from plans/hsdp-2x8.yaml\n"
                 "  world size: expected 16, got 32")
    tally.expect("nothing in it", outcome(guard, [Module()], 0, 16), has("fully_shard: expected calls, got none " + keys,
                 "parameter of this rank (%s): expected one, got none of that name %s" % (samples, keys)))
    right = plan_of("plans/hsdp-2x8.yaml", "3")
    model = model_of(right, 3)
    model[0].parameters["layers.0.attention.wq.weight"] = Tensor([4096, 4096])
    tally.expect("not sharded", outcome(guard, model, 3, 16), has("dim 0 cut (layers.0.attention.wq.weight): expected over ranks {0-7} (8), got not at all",
                 "local shape (layers.0.attention.wq.weight): expected [512, 4096], got [4096, 4096]"))
    model = model_of(right, 3)
    model[0].parameters["tok_embeddings.weight"].shape = (32000, 4096)
    tally.expect("other vocabulary", outcome(guard, model, 3, 16), has("global shape (tok_embeddings.weight): expected [128256, 4096], got [32000, 4096]"))


def wrong_order(tally):
    """Equal sizes in another order: tensor parallelism over the nodes, FSDP inside."""
    guard, plan = guard_of("plans/fsdp-tp-8x8.yaml"), plan_of("plans/fsdp-tp-8x8.yaml", "10")
    for name, stride in (("tp", 8), ("dp_shard", 1), ("dp_shard_cp", 1), ("dp", 1), ("dp_cp", 1)):
        plan["meshes"][name]["layout"]["strides"] = [stride]
    nodes, node = "ranks {2,10,18,26,34,42,50,58} (8)", "ranks {8-15} (8)"
    tally.expect("axes swapped", outcome(guard, model_of(plan, 10), 10, 64), has(
        "fully_shard cuts over (tok_embeddings, layers.0 and 80 more): expected %s, got %s [parallelism.dp_shard: 8]" % (nodes, node),
        "mesh dimension tp: expected %s, got %s [parallelism.tp: 8]" % (node, nodes),
        "mesh dimension dp_shard_cp: expected %s, got %s [parallelism.dp_shard: 8]" % (nodes, node),
        "global offset (layers.0.attention.wq.weight): expected [2176, 0], got [1280, 0] [parallelism.dp_shard: 8, parallelism.tp: 8]"))
    model = model_of(plan_of("plans/fsdp-tp-8x8.yaml", "10"), 10)
    model[0].parameters["layers.0.attention.wo.weight"].placements[1] = Replicate()
    tally.expect("row-wise lost", outcome(guard, model, 10, 64), has("dim 1 cut (layers.0.attention.wo.weight): expected over %s, got not at all" % node,
                 "repeated over (layers.0.attention.wo.weight): expected no other rank, got %s" % node))


def wrong_experts(tally):
    """Experts that are cut over all ranks, beside those that expert parallelism cuts."""
    config = "plans/moe-ep-deepseek-16b.yaml"
    guard, plan = guard_of(config), plan_of(config, "9")
    plan["data_parallel"]["expert"]["mesh"] = ["fsdp"]
    tally.expect("experts over all ranks", outcome(guard, model_of(plan, 9), 9, 16), has(
        "fully_shard cuts over (layers.1.moe.experts, layers.2.moe.experts and 24 more): expected ranks {1,9}, got ranks {0-15} (16) [parallelism.dp_shard: 16, parallelism.ep: 8]"))


class DistributedDataParallel:
    """What holds a model and the ranks it is repeated on."""

    def __init__(self, ranks):
        self.process_group = ranks


def wrong_replicas(tally):
    guard, plan = guard_of("plans/ddp-8.yaml"), plan_of("plans/ddp-8.yaml", "2")
    model = model_of(plan, 2)
    model[0].modules[""] = DistributedDataParallel(list(range(8)))
    tally.expect("ddp", outcome(guard, model, 2, 8), "parplan guard: rank 2 is as planned: 0 calls of fully_shard, "
                 "DistributedDataParallel, 3 parameters, mesh dimensions (none known)")
    model[0].modules[""] = DistributedDataParallel([0, 1, 2, 3])
    tally.expect("ddp over half", outcome(guard, model, 2, 8), has("DistributedDataParallel over (root): expected ranks {0-7} (8), got ranks {0-3} (4)"))


def other_ways(tally):
    """Meshes that are handed over, lists of stages, versions whose state is told otherwise."""
    guard, plan = guard_of("plans/hsdp-2x8.yaml"), plan_of("plans/hsdp-2x8.yaml", "9")
    model, swapped = model_of(plan, 9), mesh_of([("dp_replicate", [2], [1]), ("dp_shard", [8], [2])], 9)
    want = has("mesh dimension dp_replicate: expected ranks {1,9}, got ranks {8-9} [parallelism.dp_replicate: 2]")
    tally.expect("mesh=", outcome(guard, model, 9, 16, mesh=swapped), want)
    tally.expect("meshes=[]", outcome(guard, model, 9, 16, meshes=[swapped]), want)
    tally.expect("meshes={}", outcome(guard, model, 9, 16, meshes={"world": swapped}), want)
    model[0].parameters["tok_embeddings.weight"].device_mesh._get_root_mesh = lambda: swapped
    tally.expect("root mesh", outcome(guard, model, 9, 16), want)
    model = model_of(plan, 9)
    for module in model[0].modules.values():
        state = module._get_fsdp_state()
        state._fsdp_param_groups = [state._fsdp_param_group]
        del state._fsdp_param_group
    tally.expect("several groups", outcome(guard, model[0], 9, 16), "parplan guard: rank 9 is as planned: 34 calls of fully_shard, 3 parameters, mesh dimensions dp_replicate dp_shard_cp")
    for module in model[0].modules.values():
        module._get_fsdp_state().__dict__.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        text = outcome(guard, model, 9, 16)
    tally.expect("hidden groups", text, lambda text: "is as planned" in text)
    tally.expect("hidden groups, said", str([str(w.message) for w in caught]), lambda text: "not checked: the groups of fully_shard" in text)
    hostile = os.path.join(FOLDER, "it's ''' + exit() + '''.yaml")
    with open("plans/hsdp-2x8.yaml") as file, open(hostile, "w") as copy:
        copy.write(file.read())
    quoted = guard_of(hostile)
    tally.expect("quotes in a name", quoted.PLAN["config"], hostile)


def main():
    tally = Tally()
    for test in (right_plans, wrong_plans, wrong_order, wrong_experts, wrong_replicas, other_ways):
        test(tally)
    print("%d passed, %d failed" % (tally.passed, tally.failed))


main()
