parplan plan --mesh dp_replicate plans/hsdp-2x8.yaml
