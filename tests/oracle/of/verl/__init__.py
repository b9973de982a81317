"""verl from PyPI, beside PyTorch 2.13.0. Functions are cut out of its workers: Ray and the inference engines play no part."""
from harness.beside import Beside

VERSIONS = ["0.9.1"]
TOPICS = {"meshes": 1}


def environment(version):
    return Beside("verl-" + version, "2.13.0", ["verl==" + version])
