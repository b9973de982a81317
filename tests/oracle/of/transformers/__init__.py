"""transformers from PyPI, beside PyTorch 2.13.0: models built on meta tensors from configs made here; nothing is downloaded."""
from harness.beside import Beside

VERSIONS = ["4.57.6"]
TOPICS = {"parameters": 1, "memory": 1, "experts": 1, "windows": 1}
PACKAGES = ["tokenizers==0.22.1", "huggingface_hub==0.34.4", "safetensors", "regex", "psutil", "pyyaml", "packaging", "requests", "tqdm",
            "urllib3", "idna", "certifi", "charset_normalizer", "numpy==2.2.6", "accelerate==1.11.0"]


def hub(torch, version=VERSIONS[0]):
    """transformers with what it and accelerate need."""
    return Beside("transformers-" + version, torch, ["transformers==" + version, *PACKAGES])


def environment(version):
    return hub("2.13.0", version)
