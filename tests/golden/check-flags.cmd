parplan check plans/torchtitan-llama3-8b.toml -- --parallelism.tensor_parallel_degree 3
