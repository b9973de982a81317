parplan reshard plans/hsdp-2x8.yaml
