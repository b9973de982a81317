"""_create_device_meshes for FSDP2, Megatron-FSDP and DDP: the axes' groups of some ranks, also of the experts' mesh, or the exception."""
from of.meshes import WORLDS, Small, axes_of, compare_small, degrees, groups_of, same_error, spanning

NAMES = ["dp_replicate", "dp", "cp", "tp", "pp"]
MODULE = ("nemo_automodel", "components", "distributed", "mesh_utils.py")


def make(rng, version):
    world, strategy = rng.choice(WORLDS), rng.choice(["fsdp2", "fsdp2", "fsdp2", "megatron_fsdp", "ddp"])
    sizes = degrees(rng, world, NAMES if strategy == "fsdp2" else NAMES[1:4])
    if "dp_replicate" in sizes and "dp" in sizes:
        sizes["dp"] *= sizes["dp_replicate"]  # which counts both
    if rng.random() < 0.6:
        sizes.pop("dp", None)
    if strategy == "fsdp2" and rng.random() < 0.4:
        sizes["ep"] = rng.choice([d for d in range(1, world + 1) if world % d == 0] + [3])
    if strategy == "ddp" and rng.random() < 0.7:
        sizes = {}
    if rng.random() < 0.08:
        sizes[rng.choice(NAMES + ["ep"])] = rng.choice([0, 2, 3])
    return {"world": world, "strategy": strategy, "sizes": sizes}


def meshes_of(case):
    """_create_device_meshes, among the names of its own module."""
    import ast
    import enum
    import itertools
    import typing
    from dataclasses import dataclass, field

    import torch
    import torch.distributed as dist
    from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

    from harness.cut import cut, parsed, run

    given = {"itertools": itertools, "dataclass": dataclass, "field": field, "torch": torch, "dist": dist, "DeviceMesh": DeviceMesh,
             "init_device_mesh": init_device_mesh, "Enum": enum.Enum, "MeshContext": None, "Optional": typing.Optional, "Dict": dict}
    given.update({name: type(name, (), {}) for name in ("FSDP2Config", "MegatronFSDPConfig", "DDPConfig")}, DistributedStrategyConfig=object)
    given.update(cut((*MODULE[:-1], "mesh.py"), ["MeshAxisName", "ParallelismSizes"], given))
    functions = [node for node in parsed(*MODULE).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    made = run(functions, given)
    kind = {"fsdp2": "FSDP2Config", "megatron_fsdp": "MegatronFSDPConfig", "ddp": "DDPConfig"}[case["strategy"]]
    sizes = given["ParallelismSizes"](**{name + "_size": size for name, size in case["sizes"].items()})
    return made["_create_device_meshes"](given[kind](), sizes, world_size=case["world"])


def ask(case, version):
    def part(number):
        def mesh_of(rank, fake):
            meshes = meshes_of(case)
            spanning(meshes[0], case["world"])
            return meshes[number]

        return mesh_of

    try:
        return {"dense": axes_of(case["world"], part(0)), "experts": axes_of(case["world"], part(1))}
    except Small as mesh:
        return {"spans": mesh.args[0]}


def compare(case, answer, version, parplan):
    text = "step_scheduler:\n  global_batch_size: %d\n  local_batch_size: 1\ndistributed:\n  strategy: %s\n" % (case["world"] * 4, case["strategy"])
    text += "".join("  %s_size: %d\n" % pair for pair in case["sizes"].items())
    text += "  pipeline:\n    pp_schedule: 1f1b\n" if case["sizes"].get("pp", 1) > 1 else ""
    plan = parplan.json("plan", "--framework", "nemo-automodel@" + version, "--world", case["world"], parplan.file("recipe.yaml", text))
    have, want = plan.get("error"), answer.get("error")
    if "spans" in answer:
        return compare_small(case["world"], answer["spans"], have)
    if have or want:
        return None if same_error(have, want) else "raises %s, parplan says %s" % (want, have)
    return compare_groups(case, answer, plan)


def compare_groups(case, answer, plan):
    for rank in answer["dense"]:
        axes, mine = {**(answer["dense"][rank] or {}), **(answer["experts"][rank] or {})}, groups_of(plan, int(rank))
        if case["strategy"] == "ddp":  # no mesh: DistributedDataParallel repeats over all
            axes = {"dp_replicate": list(range(case["world"]))}
        for name in sorted(set(axes) | set(mine)):
            if axes.get(name) != mine.get(name):
                return "on rank %s %s is %s, parplan says %s" % (rank, name, axes.get(name), mine.get(name))
    return None
