parplan explain plans/torchtitan-llama3-8b.toml
