"""torchtune's ParallelDims at a commit of main (no release has it), out of a clone that ORACLE_TORCHTUNE names, beside PyTorch 2.13.0.

Its class is cut out of torchtune/training/_distributed.py: the rest of that module needs torchao and torchvision, and plays no part.
"""
from harness.beside import Beside, checkout

VERSIONS = ["bd2a0fc7"]
TOPICS = {"dims": 1}


def environment(version):
    return Beside("torchtune", "2.13.0", [], [checkout("ORACLE_TORCHTUNE", "torchtune", version, ["torchtune"])])
