parplan plan plans/hsdp-2x8.yaml
