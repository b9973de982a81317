"""lightning from PyPI, beside PyTorch 2.13.0. Functions and methods are cut out of its strategies: torchmetrics and the rest play no part."""
from harness.beside import Beside

VERSIONS = ["2.6.6"]
TOPICS = {"meshes": 1}


def environment(version):
    return Beside("lightning-" + version, "2.13.0", ["lightning==" + version])
