printf 'parplan: 1\nframework: {torchtitan: v0.2.0}\nworld: 8\nparallelism: {dp_shard: 8}\n' | parplan draw - --figure shards
