parplan plan --world 12 plans/hsdp-2x8.yaml
