"""Megatron-LM at releases of Megatron Core and one commit of main, out of a clone that ORACLE_MEGATRON names.

The packages on PyPI hold megatron.core alone, without the training scripts whose flags parplan reads.
"""
from harness.beside import Beside, checkout

VERSIONS = ["0.12.3", "0.13.1", "0.14.0", "0.15.3", "0.16.1", "0.17.1", "0.18.2", "0.19.0", "d98e8a64"]
TOPICS = {"groups": 1}
PACKAGES = ["triton", "einops", "packaging", "six", "regex", "pydantic", "pydantic-core", "annotated-types", "typing-inspection", "pyyaml"]


def commit_of(version):
    return "core_v" + version if "." in version else version


def environment(version):
    return Beside("megatron", "2.13.0", PACKAGES, [checkout("ORACLE_MEGATRON", "megatron", commit_of(version), ["megatron"])])


def pin(version):
    """What parplan calls it."""
    return "megatron@" + commit_of(version)


def script(case, *words):
    """The launch script of a case: one process per rank, eight to a node where they are that many. A program without any
    argument is not told by its name alone, and Megatron's own never starts so."""
    local = next(n for n in (8, 7, 6, 5, 4, 3, 2, 1) if case["world"] % n == 0)
    flags = "".join(" %s%s" % (flag, "" if value is True else " %s" % value) for flag, value in case["flags"])
    return "torchrun --nnodes %d --nproc-per-node %d pretrain_gpt.py --bf16%s%s\n" % (case["world"] // local, local, flags, " ".join(words))
