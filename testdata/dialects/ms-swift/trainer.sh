#!/bin/bash
# transformers' Trainer below DeepSpeed
export NPROC_PER_NODE=4
nvidia-smi
swift sft \
    --model Qwen/Qwen2.5-7B-Instruct \
    --train_type full \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps $((16 / NPROC_PER_NODE)) \
    --deepspeed zero3
