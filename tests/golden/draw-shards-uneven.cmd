parplan draw plans/fsdp-8.yaml --figure shards --set model=llama3-debugmodel --set parallelism.dp_shard=48 --set cluster.nodes=6
