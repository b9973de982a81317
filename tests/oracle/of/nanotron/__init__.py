"""nanotron from PyPI, beside PyTorch 2.13.0; CUDA's devices and the collectives are stubbed."""
from harness.beside import Beside

VERSIONS = ["0.2", "0.4"]
TOPICS = {"context": 1}


def environment(version):
    return Beside("nanotron-" + version, "2.13.0", ["nanotron==" + version])
