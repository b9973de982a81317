parplan sim plans/hsdp-2x8.yaml
