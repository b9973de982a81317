parplan search --fix nothing=3 plans/hsdp-2x8.yaml
