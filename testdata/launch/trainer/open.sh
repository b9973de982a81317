torchrun --nproc_per_node 4 sft.py --deepspeed $CONFIG --output_dir out
