parplan check testdata/titan/llama3-8b.toml --framework torchtitan@v0.2.0 --world 16 -- --parallelism.tensor_parallel_degree two --training.compile --parallelism.data_parallel_replica_degree 2 stray
