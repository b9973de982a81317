"""Asserts, before the first step, that a job is laid out as parplan planned it.

    import parplan_guard
    print(parplan_guard.check(model))

Call it on every rank when the model is parallelised. It needs torch alone and communicates nothing, so it
cannot hang. `model` is a module or the list of this rank's pipeline stages; `meshes` are DeviceMeshes beyond those
that the model shows (one, a list or a dict). All that differs from the plan is in one AssertionError.
"""
import json
import warnings

import torch.distributed as dist

PLAN = json.loads(r'''@PLAN@''')

WRAPPERS = ("_orig_mod.", "_checkpoint_wrapped_module.", "_fsdp_wrapped_module.")


def check(model, mesh=None, meshes=()):
    """Compares this rank with the plan; returns what was compared in a sentence."""
    facts = _Facts(model)
    if facts.world == PLAN["world_size"]:
        for found in [mesh, *_values(meshes)]:
            facts.see(found)
        _check_fully_shard(facts)
        _check_ddp(facts)
        _check_samples(facts)
        _check_meshes(facts)
    else:
        facts.differ("world size", "", str(PLAN["world_size"]), str(facts.world), [])
    if facts.unseen:
        warnings.warn("parplan guard: not checked: " + "; ".join(sorted(facts.unseen)))
    if facts.differences:
        raise AssertionError(facts.report())
    return "parplan guard: rank %d is as planned: %s" % (facts.rank, ", ".join(facts.compared) or "world size")


class _Facts:
    """What this rank sees, and what was found out about it."""

    def __init__(self, model):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.parts = _parts(model)
        self.meshes, self.parameters, self.names = {}, {}, {}
        self.differences, self.unseen, self.compared, self.places = {}, set(), [], {}
        for part in self.parts:
            for name, parameter in part.named_parameters():
                self.parameters[_plain(name)] = parameter
                self.names[id(parameter)] = _plain(name)
                self.see(getattr(parameter, "device_mesh", None))

    def see(self, mesh):
        """Remembers a mesh and the root it is a part of."""
        for found in (mesh, _root(mesh)):
            if getattr(found, "mesh", None) is not None:
                self.meshes.setdefault(id(found), found)
            elif found is not None:
                self.unseen.add("a %s, which is no DeviceMesh" % type(found).__name__)

    def span(self, mesh, dims):
        """The ranks that this rank meets along those dimensions of a mesh: none when it would be alone, None when it is
        not in the mesh."""
        if id(mesh) not in self.places:  # the mesh is kept, and with it its id
            ranks = mesh.mesh.flatten().tolist()
            at = ranks.index(self.rank) if self.rank in ranks else None
            self.places[id(mesh)] = (mesh, list(mesh.mesh.shape), ranks, at)
        _, shape, ranks, at = self.places[id(mesh)]
        return None if at is None else _span(shape, ranks, at, dims)

    def differ(self, what, place, want, got, keys):
        """One difference; of equal ones the places are gathered."""
        self.differences.setdefault((what, want, got, tuple(keys)), []).append(place)

    def compare(self, what, place, want, got, keys):
        if want != got:
            self.differ(what, place, _ranks(want), _ranks(got), keys)

    def report(self):
        head = "parplan guard: rank %d of %d is not laid out as planned from %s"
        lines = [head % (self.rank, self.world, PLAN["config"])]
        for (what, want, got, keys), places in self.differences.items():
            more = " and %d more" % (len(places) - 2) if len(places) > 2 else ""
            where = " (%s%s)" % (", ".join(places[:2]), more) if places[0] else ""
            because = " [%s]" % ", ".join(keys) if keys else ""
            lines.append("  %s%s: expected %s, got %s%s" % (what, where, want, got, because))
        return "\n".join(lines)


# What the plan says. Communicators are sizes and strides, outermost first; ranks are computed.


def _group(layout, rank):
    """The ranks that communicate with `rank`, itself included; none when it would be alone."""
    pairs = list(zip(layout["sizes"], layout["strides"]))
    base = rank - sum(rank // stride % size * stride for size, stride in pairs)
    ranks = sorted(_places(base, pairs))
    return ranks if len(ranks) > 1 else []


def _places(base, pairs):
    """All numbers that these (size, stride) lead to from `base`."""
    found = [base]
    for size, stride in pairs:
        found = [place + step for place in found for step in range(0, size * stride, stride)]
    return found


def _index(layout, rank):
    """Which of the members of its group `rank` is."""
    index = 0
    for size, stride in zip(layout["sizes"], layout["strides"]):
        index = index * size + rank // stride % size
    return index


def _joined(layouts):
    """Several communicators as one."""
    return {key: [n for layout in layouts for n in layout[key]] for key in ("sizes", "strides")}


def _box(sample, rank):
    """The part of a parameter that the rank stores: the innermost dimension of its mesh cuts first."""
    shape, offset = list(sample["shape"]), [0] * len(sample["shape"])
    for mesh_dim in reversed(sample["mesh"]):
        dim = mesh_dim["cuts"]
        if dim is None:
            continue
        ways = 1
        for size in mesh_dim["sizes"]:
            ways *= size
        step = -(-shape[dim] // ways)
        start = min(_index(mesh_dim, rank) * step, shape[dim])
        shape[dim], offset[dim] = min(step, shape[dim] - start), offset[dim] + start
    return shape, offset


# What PyTorch says.


def _values(meshes):
    if hasattr(meshes, "values"):
        return list(meshes.values())
    return list(meshes) if isinstance(meshes, (list, tuple, set)) else [meshes]


def _parts(model):
    if isinstance(model, (list, tuple)) or type(model).__name__ == "ModuleList":
        return [part for entry in model for part in _parts(entry)]
    return [model]


def _plain(name):
    """A parameter's name without what torch.compile, checkpointing and data parallelism wrap around it."""
    for wrapper in WRAPPERS:
        name = name.replace(wrapper, "")
    while name.startswith("module."):
        name = name[len("module.") :]
    return name


def _root(mesh):
    """The mesh that this one was sliced from; before 2.10 no mesh knows it for certain."""
    root = getattr(mesh, "_get_root_mesh", None)
    return root() if callable(root) else None


def _span(shape, ranks, at, dims):
    """Of a row-major array of ranks those along some dimensions through the place `at`."""
    strides, stride = [], 1
    for size in reversed(shape):
        strides.insert(0, stride)
        stride *= size
    base = at - sum(at // strides[dim] % shape[dim] * strides[dim] for dim in dims)
    found = sorted(ranks[place] for place in _places(base, [(shape[dim], strides[dim]) for dim in dims]))
    return found if len(found) > 1 else []


def _ranks(value):
    """Ranks in words: {0-7}, {0,8}; anything else as it is."""
    if value is None:
        return "a mesh without this rank"
    if not isinstance(value, list):
        return str(value)
    if not value:
        return "no other rank"
    runs = []
    for rank in value:
        if runs and rank == runs[-1][1] + 1:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    words = ["%d" % a if a == b else "%d-%d" % (a, b) for a, b in runs]
    if len(words) > 8:
        words = words[:3] + ["..."] + words[-1:]
    return "ranks {%s}%s" % (",".join(words), " (%d)" % len(value) if len(value) > 2 else "")


# The comparisons.


def _check_meshes(facts):
    """Every dimension whose name the plan knows, of every mesh that was seen."""
    planned, names = {mesh["name"]: (_group(mesh, facts.rank), mesh["keys"]) for mesh in PLAN["meshes"]}, set()
    for mesh in facts.meshes.values():
        for dim, name in enumerate(getattr(mesh, "mesh_dim_names", None) or ()):
            got = facts.span(mesh, [dim]) if name in planned else None
            if got is not None:
                facts.compare("mesh dimension %s" % name, "", planned[name][0], got, planned[name][1])
                names.add(name)
    facts.compared.append("mesh dimensions %s" % (" ".join(sorted(names)) or "(none known)"))


def _param_groups(module):
    """The groups of parameters that fully_shard made of a module, or None where it was not called."""
    state = getattr(module, "_get_fsdp_state", None)
    if not callable(state):
        return None
    state = state()
    groups = getattr(state, "_fsdp_param_groups", None)
    if groups is None:
        groups = [getattr(state, "_fsdp_param_group", None)]
    return [group for group in groups if group is not None]


def _is_expert(facts, group):
    names = [facts.names.get(id(getattr(p, "sharded_param", None)), "") for p in getattr(group, "fsdp_params", ())]
    return any(infix in name for infix in PLAN["experts"] for name in names)


def _check_group(facts, where, group, planned):
    info = group.mesh_info
    facts.see(info.mesh)
    for role, verb in (("shard", "cuts"), ("replicate", "repeats")):
        attribute = role + "_mesh_dim"
        dim = getattr(info, attribute, None)
        if planned[role] is None:  # torchft's replicas are other jobs
            continue
        if dim is not None and not isinstance(dim, int):
            facts.unseen.add("the %s of fully_shard" % attribute)
            continue
        got = [] if dim is None else facts.span(info.mesh, [dim])
        facts.compare("fully_shard %s over" % verb, where, _group(planned[role], facts.rank), got, planned["keys"])


def _check_fully_shard(facts):
    """Who shares and who repeats the parameters of each fully_shard call."""
    planned, count, called = {each["of"]: each for each in PLAN["fully_shard"]}, 0, False
    for part in facts.parts:
        for name, module in part.named_modules():
            groups = _param_groups(module)
            called = called or groups is not None
            for group in groups or ():
                of = "experts" if "experts" in planned and _is_expert(facts, group) else "parameters"
                where = _plain(name + ".").rstrip(".") or "root"
                count += 1
                if of in planned:
                    _check_group(facts, where, group, planned[of])
                else:
                    facts.differ("fully_shard", where, "no call", "a call", [])
    if called and not count:
        facts.unseen.add("the groups of fully_shard, which this PyTorch does not show")
    elif planned and not count and PLAN["strategy"] != "ddp":
        facts.differ("fully_shard", "", "calls", "none", planned["parameters"]["keys"])
    facts.compared.append("%d calls of fully_shard" % count)


def _check_ddp(facts):
    """The ranks that DistributedDataParallel reduces gradients over, where it wraps the model visibly."""
    for each in PLAN["fully_shard"] if PLAN["strategy"] == "ddp" else ():
        for part in facts.parts:
            for name, module in part.named_modules():
                if type(module).__name__ == "DistributedDataParallel":
                    got = sorted(dist.get_process_group_ranks(module.process_group))
                    want = _group(each["replicate"], facts.rank)
                    facts.compare("DistributedDataParallel over", _plain(name) or "root", want, got, each["keys"])
                    facts.compared.append("DistributedDataParallel")


def _cuts(parameter):
    """Of a DTensor the mesh dimensions that cut each dimension, and those that repeat it."""
    cut, repeat = {}, []
    for dim, placement in enumerate(parameter.placements):
        tensor_dim = getattr(placement, "dim", None)
        if tensor_dim is None:
            repeat.append(dim)
        else:
            cut.setdefault(tensor_dim, []).append(dim)
    return cut, repeat


def _offset(parameter):
    """The global offset that DTensor tells, or None where it tells another order than is stored."""
    cut, _ = _cuts(parameter)
    strided = any(getattr(placement, "split_factor", None) for placement in parameter.placements)
    if any(len(dims) > 1 for dims in cut.values()) and not strided:
        return None  # before 2.5 a cut across another has no placement of its own
    try:
        from torch.distributed.tensor._utils import compute_local_shape_and_global_offset as compute
    except ImportError:
        from torch.distributed._tensor._utils import compute_local_shape_and_global_offset as compute
    return list(compute(parameter.shape, parameter.device_mesh, parameter.placements)[1])


def _cut_words(ranks):
    return "over " + _ranks(ranks) if ranks else "not at all"


def _check_placement(facts, sample, parameter):
    fqn, keys, mesh = sample["fqn"], sample["keys"], getattr(parameter, "device_mesh", None)
    cut, repeat = _cuts(parameter) if mesh is not None else ({}, [])

    def seen(dims):
        return facts.span(mesh, dims) if mesh is not None else []

    def planned(dim):
        return _group(_joined([each for each in sample["mesh"] if each["cuts"] == dim]), facts.rank)

    for dim in range(len(sample["shape"])):
        want, got = planned(dim), seen(cut.get(dim, []))
        facts.compare("dim %d cut" % dim, fqn, _cut_words(want), _cut_words(got), keys)
    if PLAN["strategy"] not in ("ddp", "hsdp(ft)"):
        facts.compare("repeated over", fqn, planned(None), seen(repeat), keys)


def _check_sample(facts, sample):
    parameter, fqn, keys = facts.parameters.get(sample["fqn"]), sample["fqn"], sample["keys"]
    if parameter is None:
        facts.differ("parameter of this rank", fqn, "one", "none of that name", keys)
        return
    facts.compare("global shape", fqn, str(sample["shape"]), str(list(parameter.shape)), keys)
    if list(parameter.shape) != sample["shape"]:
        return
    shape, offset = _box(sample, facts.rank)
    _check_placement(facts, sample, parameter)
    local = getattr(parameter, "_local_tensor", parameter)
    facts.compare("local shape", fqn, str(shape), str(list(local.shape)), keys)
    if sample["even"] and getattr(parameter, "device_mesh", None) is not None:
        told = _offset(parameter)
        if told is not None:
            facts.compare("global offset", fqn, str(offset), str(told), keys)


def _check_samples(facts):
    """A few parameters of each kind, of the pipeline stages that this rank has."""
    count = 0
    for sample in PLAN["samples"]:
        if PLAN["pp"] is None or _index(PLAN["pp"], facts.rank) == sample["pp_rank"]:
            _check_sample(facts, sample)
            count += 1
    facts.compared.append("%d parameters" % count)
