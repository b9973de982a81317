parplan check plans/hsdp-2x8.yaml plans/fsdp-8.yaml
