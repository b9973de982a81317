parplan draw plans/fsdp-8.yaml --world 12 --set parallelism.dp_shard=4 --set parallelism.tp=3 | head -6
