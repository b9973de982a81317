printf 'parplan: 1\nframework: {torchtitan: v0.2.0}\nmodel: llama3-8b\ncluster: {%900s gpu: h100-sxm, nodes: 2, gpus_per_nod: 8}\nparallelism: {dp_shard: 16}\n' '' | parplan check -
