parplan plan --rank 16 plans/hsdp-2x8.yaml
