parplan check --world 16 --set 'model={preset: llama3-8b, layers: 3}' --set parallelism.pp=8 --set parallelism.dp_shard=2 --set training.local_batch_size=16 plans/fsdp-8.yaml
