"""fully_shard on real modules under the fake process group: units, padded sizes, what is stored where, what metadata says, refusals.

Two kinds of cases. "weight": one Linear, cut by tensor parallelism first where it is asked for; every element holds its own
number, so that the local tensor shows which of them a rank stores. "model": llama of two blocks, wrapped block by block, on a mesh
of its own, compared with the plan of a native config.
"""
import re

from of.torch import at_least, mesh

SIZES = list(range(1, 65)) + [96, 100, 128, 129, 257, 1000]
RANKS_ASKED = 5


def has(version):
    """2.2 has no fully_shard, 2.3 one that its authors did not let anybody use."""
    return at_least(version, 4)


def make(rng, version):
    return make_model(rng, version) if rng.random() < 0.3 else make_weight(rng, version)


def some_ranks(rng, world):
    """The first, the last, and a few others."""
    ranks = set(rng.sample(range(world), min(world, RANKS_ASKED - 2))) | {0, world - 1}
    return sorted(ranks)


def make_weight(rng, version):
    replicate, dp, tp = rng.choice([1, 1, 1, 2]), rng.randint(1, 8), rng.choice([1, 2, 2, 3, 4, 5, 6, 7, 8])
    case = {"kind": "weight", "shape": [rng.choice(SIZES), rng.choice([4, 6, 8, 24, rng.randint(1, 40)])], "replicate": replicate,
            "dp": dp, "tp": tp, "style": rng.choice(["colwise", "colwise", "colwise", "rowwise", "replicate"]),
            "ranks": some_ranks(rng, replicate * dp * tp)}
    if at_least(version, 6) and rng.random() < 0.2:
        case["dim"] = 1  # shard_placement_fn
        if rng.random() < 0.8:
            case["shape"][1] = dp * tp * rng.randint(1, 4)
    return case


def make_model(rng, version):
    names = rng.choice([["shard"], ["rep", "shard"], ["shard", "tp"], ["shard", "tp"], ["rep", "shard", "tp"], ["rep", "shard", "tp"],
                        ["tp", "shard"], ["shard", "tp", "rep"], ["a", "shard", "b"]])
    sizes = [rng.choice([1, 2, 2, 3, 4, 4, 8]) for _ in names]
    data = [n for n in names if n in ("rep", "shard")] if rng.random() < 0.8 else rng.sample(names, rng.randint(1, len(names)))
    tensor = "tp" if "tp" in names and "tp" not in data else None
    heads, world = rng.choice([2, 4, 8]), 1
    for size in sizes:
        world *= size
    even = sizes[names.index("tp")] * sizes[names.index("shard")] if tensor else 1
    unit = 1 if at_least(version, 8) or rng.random() < 0.2 else even  # most of 2.5 to 2.7 must divide, else all of it is refused
    case = {"kind": "model", "names": names, "sizes": sizes, "fully_shard": data, "tensor": tensor, "heads": heads,
            "hidden": heads * unit * rng.randint(2, 8), "ffn": unit * rng.randint(20, 70), "vocab": unit * rng.randint(50, 130),
            "ranks": sorted({0, rng.randrange(world), world - 1})}
    shard = sizes[names.index(data[-1])]
    case["reshard"] = rng.choice(["default", "default", "default", "always", "never", str(rng.choice([1, 2, 3, 4, shard]))])
    if rng.random() < 0.1 and at_least(version, 6):
        case["dtypes"] = {rng.choice(["layers.*.ffn_norm.weight", "layers.1.attention.wq.weight", "norm.weight", "tok_embeddings.weight"]): "bfloat16"}
    return case


# ---- what the library does; torch is there ----


def fully_shard(*args, **kwargs):
    try:
        from torch.distributed.fsdp import fully_shard as function
    except ImportError:
        from torch.distributed._composable.fsdp import fully_shard as function
    return function(*args, **kwargs)


def tensor_package():
    try:
        import torch.distributed.tensor as package
        package.DTensor
    except (ImportError, AttributeError):
        import torch.distributed._tensor as package
    return package


def word(placement):
    if placement.is_replicate():
        return "R"
    factor = getattr(placement, "split_factor", None)
    return "S(%d)" % placement.dim if factor is None else "SS(%d,%d)" % (placement.dim, factor)


def numbered(shape):
    import torch

    size = 1
    for s in shape:
        size *= s
    return torch.arange(size, dtype=torch.float32).view(shape)


def box_of(local, shape):
    """[shape, offset] of the elements by the numbers they hold; offset is None of nothing."""
    if not local.numel():
        return [list(local.shape), None]
    offset, first = [], int(local.flatten()[0])
    for size in reversed(shape):
        offset.insert(0, first % size)
        first //= size
    whole = numbered(shape)
    for dim, (at, size) in enumerate(zip(offset, local.shape)):
        whole = whole.narrow(dim, at, size)
    if not bool((whole == local).all()):
        raise AssertionError("what is stored is no box")
    return [list(local.shape), offset]


def part(full, placement, of):
    """What tensor parallelism leaves of a tensor: chunk by chunk, the last ones perhaps empty."""
    if placement.is_replicate():
        return full
    chunks = full.chunk(of.size(), placement.dim)
    at = of.get_local_rank()
    return chunks[at] if at < len(chunks) else full.narrow(placement.dim, 0, 0)


def metadata(parameter):
    try:
        from torch.distributed.tensor._utils import compute_local_shape_and_global_offset
    except ImportError:
        from torch.distributed._tensor._utils import compute_local_shape_and_global_offset
    local, offset = compute_local_shape_and_global_offset(parameter.shape, parameter.device_mesh, parameter.placements)
    return [list(local), list(offset)]


def groups_of(module):
    state = module._get_fsdp_state()
    groups = getattr(state, "_fsdp_param_groups", None) or [state._fsdp_param_group]
    return [group for group in groups if group]


def ask_weight_on(rank, case):
    import torch
    from torch import nn
    from torch.distributed.device_mesh import init_device_mesh

    from of.torch.fake import Rank

    package = tensor_package()
    replicate, dp, tp, shape = case["replicate"], case["dp"], case["tp"], case["shape"]
    sizes, names = ((replicate, dp, tp), ("rep", "dp", "tp")) if replicate > 1 else ((dp, tp), ("dp", "tp"))
    with Rank(rank, replicate * dp * tp):
        root = init_device_mesh("cpu", sizes, mesh_dim_names=names)
        full = numbered(shape)
        layer = nn.Linear(shape[1], shape[0], bias=False)
        placement = {"colwise": package.Shard(0), "rowwise": package.Shard(1), "replicate": package.Replicate()}[case["style"]]
        local = part(full, placement, root["tp"]).contiguous()
        weight = package.DTensor.from_local(local, root["tp"], [placement], run_check=False, shape=full.shape, stride=full.stride())
        layer.weight = nn.Parameter(weight)
        more = {"shard_placement_fn": lambda parameter: package.Shard(case["dim"])} if "dim" in case else {}
        fully_shard(layer, mesh=root["rep", "dp"] if replicate > 1 else root["dp"], **more)
        parameter = layer.weight
        stored = box_of(parameter.to_local(), shape)
        with torch.no_grad():
            return {"mesh": list(parameter.device_mesh.shape), "placements": [word(p) for p in parameter.placements]}, \
                [stored, metadata(parameter), groups_of(layer)[0].fsdp_params[0]._sharded_param_data.numel()]


def ask_weight(case):
    answer = {"ranks": []}
    for rank in case["ranks"]:
        same, row = ask_weight_on(rank, case)
        answer.update(same)
        answer["ranks"].append(row)
    return answer


BLOCK = [("attention.wq", 0, 0), ("attention.wk", 0, 0), ("attention.wv", 0, 0), ("attention.wo", 0, 0),
         ("feed_forward.w1", 1, 0), ("feed_forward.w2", 0, 1), ("feed_forward.w3", 1, 0)]
COLWISE = ("wq", "wk", "wv", "w1", "w3", "output")


def build(case):
    """The modules of parplan's `arch: llama`, with weights that hold their own numbers."""
    import torch
    from torch import nn

    class Norm(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.weight = nn.Parameter(torch.empty(size))

    class Part(nn.Module):
        def forward(self, x):
            return x

    model, sizes = Part(), [case["hidden"], case["ffn"]]
    model.tok_embeddings = nn.Embedding(case["vocab"], case["hidden"])
    model.layers = nn.ModuleDict()
    for number in range(2):
        block = model.layers[str(number)] = Part()
        for name, out, into in BLOCK:
            holder, leaf = name.split(".")
            if not hasattr(block, holder):
                block.add_module(holder, Part())
            getattr(block, holder).add_module(leaf, nn.Linear(sizes[into], sizes[out], bias=False))
        block.attention_norm, block.ffn_norm = Norm(case["hidden"]), Norm(case["hidden"])
    model.norm = Norm(case["hidden"])
    model.output = nn.Linear(case["hidden"], case["vocab"], bias=False)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(numbered(parameter.shape))
            for pattern, dtype in case.get("dtypes", {}).items():
                if re.fullmatch(pattern.replace(".", r"\.").replace("*", "[^.]*"), name):
                    parameter.data = parameter.data.to(getattr(torch, dtype))
    return model


def parallelize(model, tensor):
    """What parallelize_module does for llama; the fake group scatters nothing, so each weight gets its part here."""
    import torch
    from torch import nn
    from torch.distributed.tensor.parallel import ColwiseParallel, ParallelStyle, RowwiseParallel, SequenceParallel, parallelize_module

    full = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    styles = {}
    for name, module in model.named_modules():
        if isinstance(module, (nn.Linear, nn.Embedding)):
            styles[name] = ColwiseParallel() if name.split(".")[-1] in COLWISE else RowwiseParallel()
        elif name.endswith("norm"):
            styles[name] = SequenceParallel()
    assert all(isinstance(style, ParallelStyle) for style in styles.values())
    parallelize_module(model, tensor, styles)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            local = part(full[name], parameter.placements[0], tensor)
            if local.shape != parameter._local_tensor.shape:
                raise AssertionError("%s has %s, not %s" % (name, list(parameter._local_tensor.shape), list(local.shape)))
            parameter._local_tensor.copy_(local)


def runs(version):
    """Whether a unit can be gathered and cut again on CPUs; 2.4 to 2.6 want CUDA's streams for it."""
    return at_least(version, 7)


def ask_model_on(rank, case, version):
    import torch
    from torch.distributed.device_mesh import init_device_mesh

    from of.torch.fake import Rank

    world = 1
    for size in case["sizes"]:
        world *= size
    with Rank(rank, world):
        root = init_device_mesh("cpu", tuple(case["sizes"]), mesh_dim_names=tuple(case["names"]))
        model = build(case)
        names = tuple(case["fully_shard"])
        tensor = root[case["tensor"]] if case["tensor"] else None
        if tensor:
            parallelize(model, tensor)
        data = root[names if len(names) > 1 else names[0]]
        reshard = {"default": {}, "always": {"reshard_after_forward": True}, "never": {"reshard_after_forward": False}}.get(
            case["reshard"], {"reshard_after_forward": int(case["reshard"]) if case["reshard"].isdigit() else None})
        for block in model.layers.values():
            fully_shard(block, mesh=data, **reshard)
        fully_shard(model, mesh=data, **reshard)
        if runs(version):
            model._get_fsdp_state()._lazy_init()
        fqns = {id(parameter): name for name, parameter in model.named_parameters()}
        units = {}
        for name, module in [("(root)", model)] + [("layers.%s" % n, block) for n, block in model.layers.items()]:
            for group in groups_of(module):
                units[name] = [[fqns[id(p.sharded_param)] for p in group.fsdp_params],
                               sum(p._sharded_param_data.numel() for p in group.fsdp_params), group.mesh_info.shard_mesh_size]
                if runs(version):
                    after = group.post_forward_mesh_info
                    units[name].append(after.shard_mesh_size if after else 0)
                    if after and after is not group.mesh_info:
                        group.unshard()
                        group.wait_for_unshard()
                        group._to_sharded_post_forward()
                        group._to_sharded() if hasattr(group, "_to_sharded") else None
        parts = {}
        for name, parameter in model.named_parameters():
            local = parameter.to_local()
            parts[name] = [list(parameter.device_mesh.mesh_dim_names or []), [word(p) for p in parameter.placements],
                           box_of(local, list(parameter.shape)) if local.dtype == torch.float32 else [list(local.shape), None]]
        return {"units": units, "parts": parts}


def ask(case, version):
    if case["kind"] == "weight":
        return ask_weight(case)
    return {"ranks": [ask_model_on(rank, case, version) for rank in case["ranks"]]}


# ---- what parplan says ----


def same_box(want, have):
    """Of nothing, all that matters is that parplan says nothing, too: FSDP2's own empty parts have no columns either."""
    if want[1] is None:
        return 0 in want[0] and 0 in have["shape"] if 0 in want[0] else want[0] == have["shape"]
    return want == [have["shape"], have["offset"]]


def compare_weight(case, answer, version, parplan):
    error = answer.get("error")
    if error:
        return known_in_logs(error, parplan)
    got = parplan.json("shard", "--torch", version, "--shape", ",".join(map(str, case["shape"])), "--mesh", ",".join(map(str, answer["mesh"])),
                       "--placements", " ".join(answer["placements"]), "--expand")
    if got.get("error"):
        return "is placed, parplan raises %s" % got["error"]
    for rank, (stored, noted, elements) in zip(case["ranks"], answer["ranks"]):
        mine = got["ranks"][rank]
        if not same_box(noted, mine):
            return "metadata of rank %d says %s, parplan says %s" % (rank, noted, mine)
        if not same_box(stored, mine["stored"]):
            return "rank %d stores %s, parplan says %s" % (rank, stored, mine["stored"])
    return None


def known_in_logs(error, parplan):
    """A refusal that no config of parplan's leads to must at least be known where it ends a log."""
    log = parplan.file("log", "Traceback (most recent call last):\n  File \"train.py\", line 1, in <module>\n%s: %s\n"
                       % (error["type"], error["message"]))
    got = parplan.json("why", log)
    rules = [row["name"] for hit in got.get("hits", []) for row in hit["known_as"]]
    return None if rules else "raises %s, which parplan why does not know" % error


def config_of(case, version):
    def inline(names, sizes):
        return "{%s}" % ", ".join("%s: %d" % pair for pair in zip(names, sizes))

    model = "arch: llama, layers: 2, hidden: %d, heads: %d, ffn: %d, vocab: %d" % (case["hidden"], case["heads"], case["ffn"], case["vocab"])
    if "dtypes" in case:
        model += ", dtypes: {%s}" % ", ".join('"%s": %s' % pair for pair in case["dtypes"].items())
    lines = ["parplan: 1", "framework: {torch: %s}" % version, "model: {%s}" % model,
             "parallelism: {reshard_after_forward: %s}" % case["reshard"], "mesh:", "  root: " + inline(case["names"], case["sizes"]),
             "  fully_shard: [%s]" % ", ".join(case["fully_shard"])]
    return "\n".join(lines + (["  tensor_parallel: " + case["tensor"]] if case["tensor"] else [])) + "\n"


def ordered(text):
    """Sets print in any order."""
    return re.sub(r"\{([^{}]*)\}", lambda match: "{%s}" % ", ".join(sorted(match[1].split(", "))), text)


def compare_error(want, plan, path, parplan):
    have = plan.get("error")
    if want and have and [have["type"], have["message"]] == [want["type"], mesh.text_of(want["message"])]:
        return None
    if have:
        return "raises %s, parplan says %s" % (want, have)
    quotes = [f.get("quote") for f in parplan.json("check", path)["files"][0]["findings"]]
    if any(quote and ordered(quote) == ordered("%s: %s" % (want["type"], want["message"])) for quote in quotes):
        return None
    return "raises %s, parplan says %s" % (want, quotes)


def compare_units(want, plan, version):
    have = {unit["name"]: unit for unit in plan["units"]}
    if sorted(want) != sorted(have):
        return "units are %s, parplan says %s" % (sorted(want), sorted(have))
    for name, row in want.items():
        mine = have[name]
        if [len(row[0]), row[1], row[2]] != [mine["parameters"], mine["shard_elements"], mine["shards"]]:
            return "unit %s has %d parameters, %d elements of each of %d, parplan says %s" % (name, len(row[0]), row[1], row[2], mine)
        kept = mine.get("kept_over") or (mine["shards"] if mine["reshard_after_forward"] else 0)
        if runs(version) and row[3] != kept:
            return "unit %s is cut over %d after forward, parplan says %d" % (name, row[3], kept)
    return None


def compare_parts(rank, want, plan):
    have = {parameter["fqn"]: parameter for parameter in plan["parameters"]}
    if sorted(want) != sorted(have):
        return "parameters are %s, parplan says %s" % (sorted(want), sorted(have))
    for name, (axes, words, box) in want.items():
        mine = have[name]
        if (axes, words) != (mine["mesh"], mine["placements"]):
            return "%s is %s on %s, parplan says %s on %s" % (name, words, axes, mine["placements"], mine["mesh"])
        if mine["local"][0]["rank"] != rank or not same_box(box, mine["local"][0]):
            return "rank %d stores %s of %s, parplan says %s" % (rank, box, name, mine["local"])
    return None


def compare_model(case, answer, version, parplan):
    path = parplan.file("config.yaml", config_of(case, version))
    for number, rank in enumerate(case["ranks"]):
        plan = parplan.json("plan", path, "--rank", rank)
        if answer.get("error") or plan.get("error"):
            return compare_error(answer.get("error"), plan, path, parplan)
        want = answer["ranks"][number]
        why = compare_units(want["units"], plan, version) if rank == 0 else None
        why = why or compare_parts(rank, want["parts"], plan)
        if why:
            return why
    return None


def compare(case, answer, version, parplan):
    return (compare_weight if case["kind"] == "weight" else compare_model)(case, answer, version, parplan)


def listed(case, answer, version):
    message = answer.get("error", {}).get("message", "")
    if re.fullmatch(r"Expects size torch.Size\(\[0, 0\]\) but got torch.Size\(\[\d+, 0\]\)", message) and not at_least(version, 6):
        return "up to 2.5 to_sharded_dtensor asserts on a rank that tensor parallelism leaves no columns of a weight " \
               "(_fsdp_param.py); from 2.6 on that part is empty, which is what parplan says of all releases"
    if message.startswith("If passing reshard_after_forward as an int") and cannot_join(case, version):
        return "one call of fully_shard has two mistakes: it meets reshard_after_forward first, parplan the meshes that cannot be joined"
    return None


def cannot_join(case, version):
    """Whether fully_shard would have refused the mesh of both, too: up to 2.9 it is sliced from the root."""
    if not case.get("tensor") or at_least(version, 10):
        return False
    places = [case["names"].index(name) for name in case["fully_shard"] + [case["tensor"]]]
    gap = places != list(range(places[0], places[0] + len(places)))
    return gap if not at_least(version, 5) else places != sorted(places)
