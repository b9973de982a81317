printf 'gpu:\n  hight: 140\n' | parplan sim --profile - plans/hsdp-2x8.yaml
