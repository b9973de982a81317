cd "$(mktemp -d)" || exit
printf '%s\n' 'checkpoint_dir: c/m' 'devices: 4' 'num_odes: 2' 'lora_query: yess' 'train: {global_batch_size: 16, micro_batch_size: 1, lr_warmup_step: 10}' 'own: 1' >lora.yaml
parplan check lora.yaml
