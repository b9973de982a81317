"""DeepSpeed from PyPI on its CPU accelerator, beside PyTorch 2.13.0; no operator is compiled."""
import os

from harness.beside import Beside

VERSIONS = ["0.16.9", "0.17.6", "0.18.9", "0.19.8"]
TOPICS = {"config": 4, "experts": 1, "zero": 1}
PACKAGES = ["pydantic", "pydantic-core", "annotated-types", "typing-inspection", "hjson", "ninja", "py-cpuinfo", "psutil", "packaging",
            "tqdm", "einops", "msgpack"]


def environment(version):
    os.environ.update(DS_BUILD_OPS="0", DS_ACCELERATOR="cpu")
    return Beside("deepspeed-" + version, "2.13.0", ["deepspeed==" + version], also=[Beside("deepspeed-needs", "2.13.0", PACKAGES)])
