printf "parplan: 1\nframework: {torchtitan: v0.2.0}\nworld: 8\nmodel: llama3-8b\nparallelism:\n  dp_shard: 8 # parplan: ignore=hsdp-colapsed\n" | parplan check -
