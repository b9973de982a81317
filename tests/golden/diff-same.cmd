parplan diff plans/fsdp-tp-8x8.yaml plans/fsdp-tp-8x8.yaml
