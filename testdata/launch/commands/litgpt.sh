litgpt finetune_lora checkpoints/m --devices 4
