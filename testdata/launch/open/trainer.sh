#!/bin/bash
# A condition that nothing here decides has either value: neither is a word of the command.
if [ "$1" == true ]; then RATE=1e-3; BATCH=4; else RATE=9.65e-6; BATCH=8; fi
torchrun --nproc_per_node=8 train.py --fsdp full_shard --output_dir out \
    --per_device_train_batch_size $BATCH --learning_rate $RATE
