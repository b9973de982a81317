parplan draw plans/hsdp-2x8.yaml --format dot
