parplan diff plans/torchtitan-llama3-8b.toml --world 16 --framework torchtitan@v0.1.0..v0.2.2 -- --parallelism.tensor_parallel_degree 2 --parallelism.data_parallel_replicate_degree 1
