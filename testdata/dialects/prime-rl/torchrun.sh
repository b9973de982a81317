#!/bin/sh
uv run torchrun --nproc-per-node 8 src/prime_rl/trainer/sft/train.py @ sft.toml --model.fsdp_cpu_offload
