parplan draw plans/torchtitan-llama3-8b.toml --world 16
