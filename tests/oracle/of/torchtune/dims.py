"""ParallelDims and its mesh: the axes' groups of some ranks, or the exception."""
from of.meshes import WORLDS, axes_of, compare_axes, degrees

KEYS = {"dp_replicate": "data_parallel_replicate_dim", "dp_shard": "data_parallel_shard_dim", "cp": "context_parallel_dim",
        "tp": "tensor_parallel_dim"}


def make(rng, version):
    world = rng.choice(WORLDS)
    sizes = degrees(rng, world, list(KEYS))
    if rng.random() < 0.4:
        sizes["dp_shard"] = rng.choice([-1, -1, -1, 0, -2])
    if rng.random() < 0.03:
        sizes[rng.choice(sorted(KEYS))] = 0
    return {"world": world, "sizes": sizes}


def dims_class():
    """ParallelDims, cut out of its module: the rest of that needs torchao and torchvision."""
    import ast, os, sys

    path = next(p for p in (os.path.join(f, "torchtune", "training", "_distributed.py") for f in sys.path) if os.path.exists(p))
    tree = ast.parse(open(path).read())
    tree.body = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "ParallelDims"]
    names = {}
    exec("from dataclasses import dataclass\nfrom functools import cached_property\n"
         "from torch.distributed.device_mesh import init_device_mesh", names)
    exec(compile(tree, path, "exec"), names)
    return names["ParallelDims"]


def ask(case, version):
    sizes = {"dp_replicate": 1, "dp_shard": -1, "cp": 1, "tp": 1, **case["sizes"]}  # the recipe's defaults
    kind = dims_class()
    return axes_of(case["world"], lambda rank, fake: kind(world_size=case["world"], **sizes).build_mesh("cpu"))


def compare(case, answer, version, parplan):
    text = "".join("%s: %d\n" % (KEYS[name], size) for name, size in case["sizes"].items())
    path = parplan.file("tune.yaml", "model:\n  _component_: torchtune.models.llama3.llama3_8b\n%stensor_parallel_plan:\n"
                        "  _component_: torchtune.models.llama3.base_llama_tp_plan\ndevice: cuda\ndtype: bf16\nbatch_size: 1\n"
                        "optimizer_in_bwd: False\ngradient_accumulation_steps: 1\nenable_activation_checkpointing: False\n" % text)
    return compare_axes(answer, parplan.json("plan", "--world", case["world"], path))
