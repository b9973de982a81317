parplan explain plans/torchtitan-llama3-8b.toml data_parallel_shard_degree kv_heads
