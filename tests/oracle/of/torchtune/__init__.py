"""torchtune's ParallelDims and models at a commit of main (no release has it), out of a clone that ORACLE_TORCHTUNE names, beside
PyTorch 2.13.0. The class of degrees is cut out of torchtune/training/_distributed.py, whose other imports play no part.
"""
from harness.beside import Beside, checkout

VERSIONS = ["bd2a0fc7"]
TOPICS = {"dims": 1, "memory": 1}
PACKAGES = ["torchao==0.18.0", "torchdata==0.11.0", "sentencepiece", "tiktoken", "regex", "tokenizers==0.22.1", "huggingface_hub==0.34.4",
            "safetensors", "datasets==3.6.0", "pyarrow==20.0.0", "pandas==2.3.3", "dill==0.3.8", "multiprocess==0.70.16", "xxhash",
            "omegaconf==2.3.0", "antlr4-python3-runtime==4.9.3", "pyyaml", "requests", "urllib3", "idna", "certifi",
            "charset_normalizer", "tqdm", "packaging", "numpy==2.2.6", "python-dateutil", "six", "pytz", "tzdata", "aiohttp", "pillow"]


def environment(version):
    return Beside("torchtune", "2.13.0", PACKAGES, [checkout("ORACLE_TORCHTUNE", "torchtune", version, ["torchtune"])])
