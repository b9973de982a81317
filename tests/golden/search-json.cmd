parplan search --top 2 --fix dp_shard=8 --fix pp=1 --format json plans/hsdp-2x8.yaml
