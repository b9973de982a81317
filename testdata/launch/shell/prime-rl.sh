uv run rl @ configs/rl.toml --trainer-gpu-ids 2,3 --inference-gpu-ids 0,1
