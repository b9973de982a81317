sed 's/^.parallelism./[paralelism]/' plans/torchtitan-llama3-8b.toml | parplan check --world 16 -
