"""hydra-core from PyPI: what it composes of a folder with groups, lists of defaults and overrides."""
from harness.environment import Environment

VERSIONS = ["1.3.8"]
TOPICS = {"compose": 1}


def environment(version):
    return Environment("hydra-" + version, ["hydra-core==" + version])
