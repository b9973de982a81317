"""Runs what `parplan guard` writes against a real PyTorch: python3 tests/oracle/guard.py PARPLAN.

A small model of the plan's parameters is cut by tensor parallelism and fully_shard as the plan says, one fake rank
after the other: its guard must pass on each. The same model sharded over a flat mesh must not. Written against the
sources of 2.4 to 2.14; not yet run. Ends with 'N passed, N failed'."""
import importlib.util, json, os, subprocess, sys, tempfile

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard

from common import Rank

try:
    from torch.distributed.fsdp import fully_shard
except ImportError:
    from torch.distributed._composable.fsdp import fully_shard

MODEL = "model: {arch: llama, layers: 2, hidden: 64, heads: 4, ffn: 128, vocab: 256}"
MESHES = [
    ("{shard: 8}", "[shard]", None, "{shard: shard}"),
    ("{rep: 2, shard: 4}", "[rep, shard]", None, "{replicate: rep, shard: shard}"),
    ("{shard: 4, tp: 2}", "[shard]", "tp", "{shard: shard}"),
    ("{rep: 2, shard: 2, tp: 2}", "[rep, shard]", "tp", "{replicate: rep, shard: shard}"),
]


class Block(nn.Module):
    def forward(self, x):
        return x


def config_of(root, shard, tensor, means):
    version = torch.__version__.split("+")[0]
    lines = ["parplan: 1", "framework: {torch: %s}" % version, MODEL, "mesh:", "  root: " + root, "  fully_shard: " + shard, "  means: " + means]
    return "\n".join(lines + (["  tensor_parallel: " + tensor] if tensor else [])) + "\n"


def run(path, *words):
    return subprocess.run([sys.argv[1], *words, path], capture_output=True, text=True, check=True).stdout


def guard_of(path, folder):
    target = os.path.join(folder, "parplan_guard.py")
    with open(target, "w") as file:
        file.write(run(path, "guard"))
    spec = importlib.util.spec_from_file_location("parplan_guard", target)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def holder(model, fqn):
    for name in fqn.split(".")[:-1]:
        if not hasattr(model, name):
            model.add_module(name, Block())
        model = getattr(model, name)
    return model


def weight(row, root, tensor):
    """The whole parameter, or what tensor parallelism leaves of it on this rank."""
    full = torch.zeros(row["shape"])
    if not tensor or tensor not in row["mesh"]:
        return full
    word, mesh = row["placements"][row["mesh"].index(tensor)], root[tensor]
    local = full.chunk(mesh.size(), int(word[2]))[mesh.get_local_rank()].clone() if word.startswith("S(") else full
    placement = Shard(int(word[2])) if word.startswith("S(") else Replicate()
    return DTensor.from_local(local, mesh, [placement], run_check=False, shape=full.shape, stride=full.stride())


def build(plan, tensor, flat):
    names, sizes = plan["root"]["names"], plan["root"]["sizes"]
    root = init_device_mesh("cpu", tuple(sizes), mesh_dim_names=tuple(names))
    model = Block()
    for row in plan["parameters"]:
        setattr(holder(model, row["fqn"]), row["fqn"].split(".")[-1], nn.Parameter(weight(row, root, tensor)))
    given = plan["data_parallel"]["mesh"]
    if flat:
        mesh = init_device_mesh("cpu", (plan["world_size"],), mesh_dim_names=("flat",))
    else:
        mesh = root[tuple(given)] if len(given) > 1 else root[given[0]]
    for block in model.layers.children():
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return model


def judge(guard, plan, rank, tensor, flat):
    """None, or what was wrong with the answer."""
    with Rank(rank, plan["world_size"]):
        model = build(plan, tensor, flat)
        try:
            answer = guard.check(model)
        except AssertionError as error:
            answer = str(error)
    if flat:
        return None if "\n  fully_shard cuts over (" in answer and "\n  local shape (" in answer else answer
    return None if "is as planned" in answer and " 0 calls" not in answer else answer


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for root, shard, tensor, means in MESHES:
            path = os.path.join(folder, "config.yaml")
            with open(path, "w") as file:
                file.write(config_of(root, shard, tensor, means))
            guard, plan = guard_of(path, folder), json.loads(run(path, "plan", "--format", "json"))
            differs = plan["world_size"] != plan["meshes"][plan["data_parallel"]["mesh"][-1]]["size"]
            for rank in range(plan["world_size"]):
                for flat in (False, True) if differs and not tensor else (False,):
                    why = judge(guard, plan, rank, tensor, flat)
                    passed, failed = passed + (why is None), failed + (why is not None)
                    if why:
                        print("%s, rank %d%s: %s" % (root, rank, ", flat" if flat else "", why))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


sys.exit(main())
