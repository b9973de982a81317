"""accelerate from PyPI, beside PyTorch 2.13.0."""
from harness.beside import Beside
from of.transformers import hub

VERSIONS = ["1.10.1", "1.11.0", "1.12.0", "1.13.0", "1.14.0", "1.15.0"]
TOPICS = {"parallelism": 1}


def environment(version):
    return Beside("accelerate-" + version, "2.13.0", ["accelerate==" + version], also=[hub("2.13.0")])
