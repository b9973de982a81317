parplan report plans/hsdp-2x8.yaml
