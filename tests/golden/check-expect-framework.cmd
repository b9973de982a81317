parplan check plans/incidents/hsdp-collapse.yaml --ignore hsdp-collapsed --expect data_parallel=hsdp --expect groups.dp_shard=within-node --expect 'groups.dp_replicate.members=[[0,8]]'
