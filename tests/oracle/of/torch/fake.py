"""A world of fake ranks, seen from one of them. Imported only where torch is."""
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore


def forget_specs():
    """DTensor keeps what operators made of specs, with the mesh that they had first: that of the rank asked before."""
    import sys
    import torch

    if "torch.distributed.tensor" not in sys.modules and "torch.distributed._tensor" not in sys.modules:
        return
    try:
        from torch.distributed.tensor import DTensor
    except ImportError:
        from torch.distributed._tensor import DTensor
    kept = DTensor._op_dispatcher.sharding_propagator.propagate_op_sharding
    getattr(kept, "cache", kept).cache_clear()
    getattr(torch._C, "_clear_DTensor_sharding_propagator_cache", lambda: None)()


class Rank:
    """init_process_group("fake") as `rank` of `world`; `groups` lists the ranks of each group in the order of creation."""

    def __init__(self, rank, world):
        self.rank, self.world, self.groups = rank, world, []

    def __enter__(self):
        dist.init_process_group("fake", rank=self.rank, world_size=self.world, store=FakeStore())
        self.new_group = dist.distributed_c10d.new_group

        def new_group(ranks=None, *args, **kwargs):
            self.groups.append(sorted(ranks) if ranks is not None else list(range(self.world)))
            return self.new_group(ranks, *args, **kwargs)

        self.set(new_group)
        return self

    def set(self, function):
        from torch.distributed import device_mesh

        dist.new_group = dist.distributed_c10d.new_group = device_mesh.new_group = function

    def __exit__(self, *ignored):
        self.set(self.new_group)
        dist.destroy_process_group()
        forget_specs()
        try:  # up to 2.9 meshes are remembered per process, not per group
            from torch.distributed.device_mesh import _mesh_resources as kept
        except ImportError:
            return
        for name in ("mesh_stack", "child_to_parent_mapping", "child_to_root_mapping", "root_to_flatten_mapping",
                     "flatten_name_to_root_dims", "mesh_dim_group_options"):
            getattr(kept, name, {}).clear()
