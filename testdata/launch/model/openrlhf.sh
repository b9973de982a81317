#!/bin/bash
deepspeed --num_gpus 8 --module openrlhf.cli.train_sft --pretrain ./here --max_len 2048 --zero_stage 3 --train_batch_size 64
