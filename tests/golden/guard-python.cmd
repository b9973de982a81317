parplan guard plans/hsdp-2x8.yaml | sed '/^WRAPPERS/,$d'
