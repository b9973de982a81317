"""Jobs of real processes over gloo, right ones and broken ones: what they leave behind, for verify, observe and why."""
import os, shutil

from harness.environment import HOME, Environment
from of import torch

VERSIONS = [version for version in torch.VERSIONS if torch.at_least(version, 4)]
TOPICS = {"verify": 3, "why": 2}  # and each one's share of the cases; FSDP2 runs on CPUs, and gloo is recorded, from 2.8 on
ACCELERATE = "accelerate==1.10.1"


class Beside(Environment):
    """torch's own environment, and accelerate in a folder beside it: torch takes gigabytes, so it is not installed again."""

    def __init__(self, version):
        self.beside = os.path.join(HOME, "runs-accelerate")
        super().__init__("torch-" + version, ["torch==" + version], path=[self.beside])

    def build(self):
        super().build()
        if not os.path.exists(self.beside):
            half = "%s-%d" % (self.beside, os.getpid())
            self.pip("--target", half, "--no-deps", ACCELERATE)
            self.pip("--target", half, "psutil", "packaging", "pyyaml", "huggingface-hub<1", "safetensors")
            try:
                os.rename(half, self.beside)
            except OSError:  # another run was quicker
                shutil.rmtree(half)
        return self


def environment(version):
    return Beside(version)
