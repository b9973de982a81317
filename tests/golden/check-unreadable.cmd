parplan check plans/hsdp-2x8.yaml no-such-file.yaml plans/fsdp-8.yaml
