#!/bin/sh
# Beginnings of arguments, where only one begins so.
torchrun --nproc-per 8 --nnodes 2 train.py --per_device_t 4 \
	--gradient_ac 2 --output_dir x --gradient_checkpointing \
	--fsdp full_shard --fsdp_tr LlamaDecoderLayer --max_st 100
