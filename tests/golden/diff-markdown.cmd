sed "s/dp_shard: 8/dp_shard: 4/; s/  dp_replicate: 2/  dp_replicate: 2\n  tp: 2/" plans/hsdp-2x8.yaml | parplan diff --format markdown plans/hsdp-2x8.yaml -
