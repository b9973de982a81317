printf "parplan: 1\nframework: {torchtitan: HEAD}\ncluster: {nodes: 2, gpus_per_node: 8}\nmodel: deepseek_v3-16b\nparallelism: {dp_shard: 16, ep: 8}\n" | parplan plan - | sed -n "/^Units/,/^$/p"
