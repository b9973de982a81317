printf 'parplan: 1\nframework: {torchtitan: v0.2.0}\nparallelism: {dp_shard: -1, tp: 4}\n' | parplan plan -
