parplan search --fix tp=3 plans/hsdp-2x8.yaml
