parplan plan --rank 37 plans/fsdp-tp-8x8.yaml
