#!/bin/bash
# As deepspeedai/DeepSpeedExamples applications/DeepSpeed-Chat: a parser of its own, which takes --deepspeed as a switch.
deepspeed --num_gpus 8 main.py \
   --model_name_or_path meta-llama/Llama-2-7b-hf \
   --per_device_train_batch_size 4 \
   --learning_rate 9.65e-6 \
   --num_train_epochs 4 \
   --gradient_accumulation_steps 1 \
   --zero_stage 3 \
   --deepspeed \
   --output_dir out
