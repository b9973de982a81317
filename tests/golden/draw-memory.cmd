parplan draw plans/hsdp-2x8.yaml --figure memory
