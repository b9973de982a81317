torchrun --nproc_per_node 4 sft.py --per_device_train_batch_size 2 --output_dir out --bf16 True
