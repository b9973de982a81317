parplan draw plans/pp-interleaved-405b.yaml --set cluster.nodes=2048 --set parallelism.dp_shard=256
