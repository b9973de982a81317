sed "s/tp: 8/tp: 4/; s/dp_shard: 8/dp_shard: 16/" plans/fsdp-tp-8x8.yaml | parplan diff plans/fsdp-tp-8x8.yaml -
