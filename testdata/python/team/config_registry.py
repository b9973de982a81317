"""Configs of a team of its own: what is plain in them is read, and nothing is executed."""
import os
from dataclasses import replace

from torchtitan.config import CompileConfig, ParallelismConfig, TrainingConfig
from torchtitan.components.quantization import Float8LinearConverter
from torchtitan.distributed.activation_checkpoint import FullAC
from torchtitan.models.llama3 import model_registry
from torchtitan.models.llama3.config_registry import llama3_70b, llama3_8b
from torchtitan.trainer import Trainer

from .tuning import tuned

TP = 4


def begins_with_known() -> Trainer.Config:
    config = llama3_8b()
    config.parallelism.tensor_parallel_degree = TP * 2
    config.training.steps = 2_000
    return config


def section_replaced() -> Trainer.Config:
    config = llama3_70b()
    config.parallelism = replace(config.parallelism, tensor_parallel_degree=2)
    config.compile = CompileConfig(enable=True, components=["loss"])
    return config


def from_classes() -> Trainer.Config:
    converters = [Float8LinearConverter.Config(model_compile_enabled=True)]
    return Trainer.Config(
        model_spec=model_registry("8B", attn_backend="sdpa", converters=converters),
        training=TrainingConfig(
            num_tokens_per_microbatch_per_dp_rank=2 * 4096,
            max_context_length=4096,
        ),
        parallelism=ParallelismConfig(data_parallel_replicate_degree=2),
        activation_checkpoint=FullAC.Config(),
    )


def from_here() -> Trainer.Config:
    config = from_classes()
    config.activation_checkpoint = None
    return config


def from_environment() -> Trainer.Config:
    config = llama3_8b()
    parallelism = config.parallelism
    parallelism.context_parallel_degree = int(os.environ.get("CP", 1))
    if os.environ.get("LONG"):
        config.training.max_context_length = 32768
    return config


def from_elsewhere() -> Trainer.Config:
    config = tuned()
    config.parallelism.tensor_parallel_degree = 8
    return config


def changed_elsewhere() -> Trainer.Config:
    config = llama3_8b()
    tuned(config)
    config.parallelism.tensor_parallel_degree = 8
    return config


def branches() -> Trainer.Config:
    if TP > 2:
        return llama3_70b()
    return llama3_8b()
