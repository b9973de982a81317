parplan plan --mesh dp_shrad plans/hsdp-2x8.yaml
