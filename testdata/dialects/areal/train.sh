#!/bin/sh
# The scheduler makes the ranks.
python3 examples/math/gsm8k_rl.py --config grpo.yaml scheduler.type=ray actor.backend=fsdp:d8 cluster.n_nodes=2
