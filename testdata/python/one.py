from torchtitan.models.qwen3 import config_registry as qwen3


def mine():
    cfg = qwen3.qwen3_32b()
    cfg.parallelism.tensor_parallel_degree = 3
    return cfg
