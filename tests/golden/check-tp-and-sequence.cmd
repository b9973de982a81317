parplan check plans/fsdp-8.yaml --world 12 --set parallelism.dp_shard=-1 --set parallelism.tp=3
