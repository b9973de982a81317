parplan sim --memory-report plans/hsdp-2x8.yaml | tail -n 18
