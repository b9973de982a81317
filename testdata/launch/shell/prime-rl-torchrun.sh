uv run torchrun --nproc-per-node 8 src/prime_rl/trainer/sft/train.py @ configs/sft.toml --model.fsdp_cpu_offload
