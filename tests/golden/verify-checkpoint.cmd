parplan verify --set parallelism.dp_shard=2 --set parallelism.dp_replicate=2 testdata/evidence/jobs/fsdp-4/config.yaml testdata/evidence/jobs/fsdp-4/step-1000
