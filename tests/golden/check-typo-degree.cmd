printf 'parplan: 1\nframework: {torchtitan: v0.2.0}\nworld: 16\nmodel: llama3-8b\nparallelism:\n  dp_replicates: 2\n  dp_shard: 8\n  tp: two\n' | parplan check -
