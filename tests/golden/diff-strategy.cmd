sed "s/dp_replicate: 2/dp_replicate: 1/; s/dp_shard: 8/dp_shard: 16/" plans/hsdp-2x8.yaml | parplan diff plans/hsdp-2x8.yaml -
