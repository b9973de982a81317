parplan guard --emit json plans/fsdp-tp-8x8.yaml
