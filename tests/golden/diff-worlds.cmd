parplan diff plans/fsdp-8.yaml plans/hsdp-2x8.yaml
