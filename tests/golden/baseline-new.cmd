parplan check --baseline testdata/baseline/known.json --set parallelism.dp_shard=3 plans/mistake-degrees.yaml
