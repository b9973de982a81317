"""Shared by the oracle scripts, which need PyTorch and write what it really does.

    python3 tests/oracle/mesh.py        DeviceMesh: init, slice, _flatten, _unflatten, _concatenate
    python3 tests/oracle/shard.py       compute_local_shape_and_global_offset
    python3 tests/oracle/dcp.py         checkpoints saved at one mesh and loaded at another: who reads what

    torchrun ... tests/oracle/evidence.py       jobs, right and broken ones: what they leave, into testdata/evidence/jobs

    python3 tests/oracle/guard.py PARPLAN   holds what `parplan guard` writes to real models; writes nothing

Each other writes testdata/oracle/torch-VERSION/NAME.json; tests/oracle.sh holds parplan to these files.
CPU only; the fake process group stands in for NCCL, one rank at a time in one process.
"""
import json, os, random, warnings

import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

warnings.simplefilter("ignore")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Rank:
    """A world of fake ranks, seen from one of them."""

    def __init__(self, rank, world):
        self.rank, self.world = rank, world

    def __enter__(self):
        dist.init_process_group("fake", rank=self.rank, world_size=self.world, store=FakeStore())

    def __exit__(self, *ignored):
        dist.destroy_process_group()
        try:  # up to 2.9 meshes are remembered per process, not per group
            from torch.distributed.device_mesh import _mesh_resources as kept

            for name in ("child_to_root_mapping", "root_to_flatten_mapping", "flatten_name_to_root_dims"):
                getattr(kept, name, {}).clear()
        except ImportError:
            pass


def write(name, seed, cases):
    folder = os.path.join(ROOT, "testdata", "oracle", "torch-" + torch.__version__.split("+")[0])
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + ".json")
    with open(path, "w") as file:
        json.dump({"torch": torch.__version__.split("+")[0], "seed": seed, "cases": cases}, file, indent=0)
        file.write("\n")
    print("%s: %d cases" % (path, len(cases)))


def factors(rng, product, most):
    """`product` as a list of at most `most` factors, some of them 1."""
    sizes = []
    while product > 1 and len(sizes) < most - 1:
        divisors = [d for d in range(1, product + 1) if product % d == 0]
        sizes.append(rng.choice(divisors))
        product //= sizes[-1]
    return sizes + [product] if product > 1 or not sizes else sizes


def generator(seed):
    return random.Random(seed)
