parplan draw plans/hsdp-2x8.yaml --figure pipeline --format svg
