printf '[model]\nname = "llama3"\nflavor = "8B"\n[parallelism]\nexpert_parallel_degree = 1\n[experimental]\ntensor_parallel_degree = 2' | parplan check --world 16 -
