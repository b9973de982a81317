parplan search --shard 1/2 plans/hsdp-2x8.yaml --fix pp=1
