parplan init testdata/titan/llama3-8b.toml --world 16 -- --parallelism.tensor_parallel_degree 4 --parallelism.module_fqns_per_model_part x --training.seq_len=4096
