# Words in the wrong order or place are answered with the right ones.
parplan draw plans/fsdp-8.yaml groups
parplan mesh plans/fsdp-8.yaml
parplan rules heads-divisibility
parplan explain tp
parplan presets Qwen/Qwen2.5-7B-Instruct
