"""PyTorch from its wheels: meshes, shards, fully_shard, pipeline schedules. The fake process group stands in for NCCL."""
from harness.environment import Environment

VERSIONS = ["2.2.2", "2.3.1", "2.4.1", "2.5.1", "2.6.0", "2.7.1", "2.8.0", "2.9.1", "2.10.0", "2.11.0", "2.12.1", "2.13.0", "2.14.1", "2.15.0"]
TOPICS = {"mesh": 2, "shard": 2, "split": 1, "mesh_claims": 1, "claims": 1, "fsdp": 2, "schedule": 2, "guard": 1, "dcp": 1, "stuck": 1}  # and each one's share of the cases


def environment(version):
    return Environment("torch-" + version, ["torch==" + version])


def at_least(version, minor):
    """Whether a release is 2.`minor` or newer."""
    return int(version.split(".")[1]) >= minor
