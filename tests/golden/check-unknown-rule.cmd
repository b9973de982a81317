parplan check --ignore hsdp-colapsed plans/hsdp-2x8.yaml
