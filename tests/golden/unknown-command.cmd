parplan chekk; parplan --versoin; parplan -q; parplan plans/hsdp-2x8.yaml
