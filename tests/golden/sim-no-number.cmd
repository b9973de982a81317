printf 'gpu:\n  weight: 140\n' | parplan sim --profile - plans/hsdp-2x8.yaml
