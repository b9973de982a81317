printf 'gpu:\n  memory: 140\n' | parplan sim --profile - plans/hsdp-2x8.yaml | tail -n 1
