printf 'gpu:\n  memroy: 140\n' | parplan sim --profile - plans/hsdp-2x8.yaml
