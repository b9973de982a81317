printf "[model]\nname = \"ours\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\n[parallelism]\ndata_parallel_shard_degree = 8\n" | parplan guard --framework torchtitan@v0.2.0 --world 8 -
