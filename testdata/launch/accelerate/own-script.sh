accelerate launch --config_file conf/fsdp2.yaml train_text_to_image.py --train_batch_size 16 --gradient_accumulation_steps 4 --gradient_checkpointing --max_length 77 --bf16 --output_dir o
