"""setup_environment of ModelParallelStrategy, the mesh of FSDPStrategy's tuple, and _init_sharding_strategy: some ranks' groups, or the exception."""
from of.meshes import WORLDS, Small, axes_of, compare_small, groups_of, same_error, spanning

STRATEGIES = ("lightning", "pytorch", "strategies")
FABRIC = ("lightning", "fabric", "strategies")
NAMES = {"data_parallel": "dp_shard", "tensor_parallel": "tp", "replicate": "dp_replicate", "shard": "dp_shard"}


def make(rng, version):
    world = rng.choice(WORLDS)
    nodes = rng.choice([d for d in (1, 1, 2, 4) if world % d == 0])
    first = rng.choice([d for d in range(1, world + 1) if world % d == 0])
    sizes = [first, world // first]
    if rng.random() < 0.15:
        sizes[rng.randrange(2)] = rng.choice([1, 2, 3, 5, 32])
    case = {"nodes": nodes, "devices": world // nodes, "strategy": rng.choice(["ModelParallelStrategy", "FSDPStrategy"])}
    if case["strategy"] == "ModelParallelStrategy":
        for name, size, whole in zip(("data_parallel_size", "tensor_parallel_size"), sizes, (nodes, world // nodes)):
            if rng.random() < 0.8:
                case[name] = size if rng.random() < 0.85 else "auto"
        return case
    case["sharding_strategy"] = rng.choice(["FULL_SHARD", "HYBRID_SHARD", "HYBRID_SHARD", "SHARD_GRAD_OP"])
    if rng.random() < 0.7:
        case["device_mesh"] = sizes
    return case


def mesh_of_sizes(case, world):
    """setup_environment from where processes are connected."""
    from types import SimpleNamespace

    import torch

    from harness.cut import cut

    given = cut((*FABRIC, "model_parallel.py"), ["_setup_device_mesh"], {"torch": torch})
    self = SimpleNamespace(_data_parallel_size=case.get("data_parallel_size", "auto"), num_nodes=case["nodes"], num_processes=case["devices"],
                           _tensor_parallel_size=case.get("tensor_parallel_size", "auto"), world_size=world, _setup_distributed=lambda: None,
                           root_device=torch.device("cpu"), lightning_module=SimpleNamespace())
    run_setup("model_parallel.py", "ModelParallelStrategy", self, given)
    return self._device_mesh


def mesh_of_tuple(case):
    """__init__'s check, then setup_environment; nobody names the tuple's axes, so that they are named here to be asked for."""
    from types import SimpleNamespace
    from unittest import mock

    import torch
    from torch.distributed.device_mesh import init_device_mesh

    from harness.cut import cut

    kwargs = {"device_mesh": tuple(case["device_mesh"])} if "device_mesh" in case else {}
    cut((*FABRIC, "fsdp.py"), ["_init_sharding_strategy"], {"_SHARDING_STRATEGY": str, "ShardingStrategy": None})[
        "_init_sharding_strategy"](case["sharding_strategy"], kwargs)
    given = {"log": mock.Mock(), "reset_seed": lambda: None, "_TORCH_GREATER_EQUAL_2_3": True, "_init_dist_connection": lambda *a, **k: None,
             "Any": object}
    self = SimpleNamespace(kwargs=kwargs, set_world_ranks=lambda: None, _get_process_group_backend=lambda: "fake", cluster_environment=1,
                           _timeout=None, root_device=torch.device("cpu"))
    with mock.patch("torch.distributed.device_mesh.init_device_mesh",
                    lambda device, shape: init_device_mesh("cpu", shape, mesh_dim_names=("replicate", "shard"))):
        run_setup("fsdp.py", "FSDPStrategy", self, given)
    return kwargs.get("device_mesh")


def run_setup(module, name, self, given):
    """A strategy's setup_environment, with nothing in the class above it."""
    import ast

    from harness.cut import inside, parsed, run

    function = inside(parsed(*STRATEGIES, module), name + ".setup_environment")
    function.decorator_list = []
    function.body = [line for line in function.body if not ast.unparse(line).startswith("super()")]
    run([function], given)["setup_environment"](self)


def ask(case, version):
    world = case["nodes"] * case["devices"]
    made = (lambda: mesh_of_sizes(case, world)) if case["strategy"] == "ModelParallelStrategy" else lambda: mesh_of_tuple(case)
    try:
        return axes_of(world, lambda *rank: spanning(made(), world))
    except Small as mesh:
        return {"spans": mesh.args[0]}


def compare(case, answer, version, parplan):
    keys = "".join("        %s: %s\n" % (name, case[name]) for name in ("data_parallel_size", "tensor_parallel_size", "sharding_strategy",
                                                                       "device_mesh") if name in case)
    text = ("seed_everything: 1\nmodel:\n  class_path: my.Model\ntrainer:\n  accelerator: cuda\n  num_nodes: %d\n  devices: %d\n  strategy:\n"
            "    class_path: lightning.pytorch.strategies.%s\n" % (case["nodes"], case["devices"], case["strategy"]))
    text += "    init_args:\n" + keys if keys else ""
    plan = parplan.json("plan", "--framework", "lightning@" + version, parplan.file("cli.yaml", text))
    have, want = plan.get("error"), answer.get("error")
    if "spans" in answer:
        return compare_small(case["nodes"] * case["devices"], answer["spans"], have)
    if have or want:
        return None if same_error(have, want) else "raises %s, parplan says %s" % (want, have)
    whole = list(range(case["nodes"] * case["devices"]))
    for rank, axes in answer.items():  # without a mesh FSDP shares over all
        axes = {"shard": whole} if axes is None else axes
        axes, mine = {NAMES[name]: ranks for name, ranks in axes.items()}, groups_of(plan, int(rank))
        for name in sorted(set(axes) | set(mine)):
            if axes.get(name) != mine.get(name):
                return "on rank %s %s is %s, parplan says %s" % (rank, name, axes.get(name), mine.get(name))
    return None
