torchrun --nproc_per_node 4 sft.py --fsdp "full_shard auto_wrap" --per_device_train_batch_size 2 --output_dir out
