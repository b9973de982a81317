parplan check --format jsn plans/hsdp-2x8.yaml
