"""Megatron-LM's own argument parser, megatron.training.arguments; the packages on PyPI hold megatron.core alone.

Other commits can be asked by adding them to VERSIONS; so far one has been.
"""
from of.megatron_core import environment  # noqa: F401, the same clone and packages

VERSIONS = ["d98e8a64"]
TOPICS = {"validate": 1}
