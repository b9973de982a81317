"""nemo_automodel from PyPI, beside PyTorch 2.13.0. Its meshes are cut out of their module: transformers and the models play no part."""
from harness.beside import Beside

VERSIONS = ["0.7.0"]
TOPICS = {"meshes": 1}


def environment(version):
    return Beside("nemo-automodel-" + version, "2.13.0", ["nemo_automodel==" + version])
