#!/bin/bash
# As NVIDIA-NeMo/RL tests/functional/grpo.sh: the program takes a config of its own
uv run coverage run -a examples/run_grpo.py cluster.num_nodes=1 cluster.gpus_per_node=2 policy.train_global_batch_size=4
