"""OmegaConf from PyPI: what expressions in a config come to."""
from harness.environment import Environment

VERSIONS = ["2.3.0", "2.3.1", "2.4.0"]
TOPICS = {"resolve": 1}


def environment(version):
    return Environment("omegaconf-" + version, ["omegaconf==" + version])
