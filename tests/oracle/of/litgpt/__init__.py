"""litgpt from PyPI, beside PyTorch 2.13.0: its models alone, whose module needs neither Lightning nor a tokenizer."""
from harness.beside import Beside

VERSIONS = ["0.5.13"]
TOPICS = {"memory": 1, "loss": 1}


def environment(version):
    return Beside("litgpt-" + version, "2.13.0", ["litgpt==" + version, "pyyaml"])
