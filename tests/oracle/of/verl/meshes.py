"""The meshes of a worker under the fake process group: FSDPEngine's, Ulysses' and the rollout's; the groups of some ranks, or the exception."""
from of.meshes import WORLDS, Small, axes_of, compare_small, groups_of, same_error, spanning

MESHES = ["engine", "ulysses", "rollout"]
NAMES = {"rollout": {"dp": "rollout_dp"}}  # what parplan calls them
FSDP, WORKER = ("verl", "workers", "engine", "fsdp"), ("verl", "workers", "engine_workers.py")


def make(rng, version):
    world = rng.choice(WORLDS)
    divisors = [d for d in range(1, world + 1) if world % d == 0]
    sizes = {"fsdp": rng.choice([-1, -1, world, 2 * world, *divisors, *divisors]), "tp": rng.choice(divisors)}
    if rng.random() < 0.5:
        sizes["sp"] = rng.choice(divisors)
    if rng.random() < 0.3:
        sizes["dp"] = rng.choice([d for d in divisors if world // sizes["tp"] % d == 0])
    if rng.random() < 0.3:
        sizes["pp"] = rng.choice([d for d in divisors if world // sizes["tp"] // sizes.get("dp", 1) % d == 0])
    if rng.random() < 0.12:
        sizes[rng.choice(["fsdp", "tp", "sp"])] = rng.choice([2, 3, 5, 6, 7])
    return {"world": world, "sizes": sizes}


def mesh_maker(world):
    """init_device_mesh as torch has it, stopped where the mesh is smaller than the world."""
    from torch.distributed.device_mesh import init_device_mesh

    def made(*args, **kwargs):
        return spanning(init_device_mesh(*args, **kwargs), world)

    return {"init_device_mesh": made, "get_device_name": lambda: "cpu", "device_name": "cpu"}


def engine_of(world, sizes):
    """An engine with its meshes, made by FSDPEngine's own functions."""
    from types import SimpleNamespace
    from unittest import mock

    import torch

    from harness.cut import cut

    given = {"torch": torch, **mesh_maker(world)}
    given.update(cut((*FSDP, "utils.py"), ["create_device_mesh"], given))
    methods = cut((*FSDP, "transformer_impl.py"), ["FSDPEngine._init_device_mesh", "FSDPEngine.get_data_parallel_size"], given)
    config = SimpleNamespace(fsdp_size=sizes["fsdp"], ulysses_sequence_parallel_size=sizes.get("sp", 1))
    engine = SimpleNamespace(engine_config=config)
    engine.get_data_parallel_size = lambda: methods["get_data_parallel_size"](engine)
    with mock.patch("torch.distributed.device_mesh.init_device_mesh", given["init_device_mesh"]):  # which it imports itself
        methods["_init_device_mesh"](engine)
    return engine


def rollout_of(world, sizes):
    """The mesh of the rollout, made by the statements of init_model from infer_tp on."""
    import ast
    from types import SimpleNamespace

    from harness.cut import parsed, run

    def puts(node, name):
        return isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == name

    block = next(node.body for node in ast.walk(parsed(*WORKER)) if any(puts(n, "infer_tp") for n in getattr(node, "body", [])))
    first, last = (next(i for i, node in enumerate(block) if puts(node, name)) for name in ("infer_tp", "rollout_device_mesh"))
    config = SimpleNamespace(tensor_model_parallel_size=sizes["tp"], data_parallel_size=sizes.get("dp", 1),
                             pipeline_model_parallel_size=sizes.get("pp", 1))
    given = {"self": SimpleNamespace(world_size=world), "rollout_config": config, **mesh_maker(world)}
    return run(block[first: last + 1], given)["rollout_device_mesh"]


def ask(case, version):
    makers = {"engine": lambda *rank: engine_of(case["world"], case["sizes"]).device_mesh,
              "ulysses": lambda *rank: engine_of(case["world"], case["sizes"]).ulysses_device_mesh,
              "rollout": lambda *rank: rollout_of(case["world"], case["sizes"])}
    try:
        return {name: axes_of(case["world"], makers[name]) for name in MESHES}
    except Small as mesh:
        return {"spans": mesh.args[0]}


def text_of(case):
    rows = [("trainer.n_gpus_per_node", case["world"]), ("trainer.nnodes", 1), ("data.train_batch_size", 64 * case["world"]),
            ("actor_rollout_ref.model.use_remove_padding", "true"), ("actor_rollout_ref.actor.strategy", "fsdp2"),
            ("actor_rollout_ref.actor.use_dynamic_bsz", "true"), ("actor_rollout_ref.actor.fsdp_config.fsdp_size", case["sizes"]["fsdp"])]
    more = {"tp": "rollout.tensor_model_parallel_size", "dp": "rollout.data_parallel_size", "pp": "rollout.pipeline_model_parallel_size",
            "sp": "actor.ulysses_sequence_parallel_size"}
    rows += [("actor_rollout_ref." + path, case["sizes"][name]) for name, path in more.items() if name in case["sizes"]]
    tree = {}
    for path, value in rows:
        node, parts = tree, path.split(".")
        for part in parts[:-1]:
            node = node.setdefault(part, {})
        node[parts[-1]] = value
    return written(tree, 0)


def written(tree, depth):
    return "".join("%s%s:%s" % ("  " * depth, key, "\n" + written(value, depth + 1) if isinstance(value, dict) else " %s\n" % value)
                   for key, value in tree.items())


def compare(case, answer, version, parplan):
    plan = parplan.json("plan", "--framework", "verl@" + version, parplan.file("verl.yaml", text_of(case)))
    have, want = plan.get("error"), answer.get("error")
    if "spans" in answer:
        return compare_small(case["world"], answer["spans"], have)
    if have or want:
        return None if same_error(have, want) else "raises %s, parplan says %s" % (want, have)
    for rank in answer["engine"]:
        axes = {NAMES.get(name, {}).get(axis, axis): ranks for name in MESHES for axis, ranks in (answer[name][rank] or {}).items()}
        mine = groups_of(plan, int(rank))
        for name in sorted(set(axes) | set(mine)):
            if axes.get(name) != mine.get(name):
                return "on rank %s %s is %s, parplan says %s" % (rank, name, axes.get(name), mine.get(name))
    return None
