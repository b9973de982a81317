#!/bin/bash
deepspeed --num_gpu 4 --num_node 2 train.py --fsdp full_shard --per_device_train_batch_size 1
