"""ParallelismConfig as Accelerator uses it: the mesh, then _validate_accelerator; the axes' groups of some ranks, or the exception."""
from of.meshes import WORLDS, axes_of, compare_axes, degrees

NAMES = ["dp_replicate", "dp_shard", "cp", "tp"]


def make(rng, version):
    names = NAMES + ["sp"] * (int(version.split(".")[1]) >= 12)
    world = rng.choice(WORLDS)
    sizes = degrees(rng, world, names)
    if "sp" in sizes and rng.random() < 0.7:
        sizes.pop("sp")
    if rng.random() < 0.03:
        sizes[rng.choice(NAMES)] = 0
    return {"world": world, "sizes": sizes or {"dp_shard": world}}  # an empty map is no ParallelismConfig


def ask(case, version):
    from types import SimpleNamespace

    from accelerate.parallelism_config import ParallelismConfig
    from accelerate.utils import DistributedType

    def mesh_of(rank, fake):
        config = ParallelismConfig(**{name + "_size": size for name, size in case["sizes"].items()})
        mesh = config.get_device_mesh("cpu")  # accelerator.py: before it is validated
        config._validate_accelerator(SimpleNamespace(num_processes=case["world"], multi_device=True, is_fsdp2=True,
                                                     distributed_type=DistributedType.FSDP))
        return mesh

    return axes_of(case["world"], mesh_of)


def compare(case, answer, version, parplan):
    sizes = "".join("  parallelism_config_%s_size: %d\n" % pair for pair in case["sizes"].items())
    path = parplan.file("accelerate.yaml", "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_machines: 1\n"
                        "num_processes: %d\nfsdp_config:\n  fsdp_version: 2\nparallelism_config:\n%s" % (case["world"], sizes))
    return compare_axes(answer, parplan.json("plan", "--framework", "accelerate@" + version, path))
