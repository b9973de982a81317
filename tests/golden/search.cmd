parplan search --top 3 --fix tp=1 plans/hsdp-2x8.yaml
