deepspeed --include localhost:0,1 sft.py --deepspeed zero.json --per_device_train_batch_size 2 --output_dir out
