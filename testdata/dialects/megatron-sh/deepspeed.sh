#!/bin/bash
# as Megatron-DeepSpeed examples_deepspeed/MoE/ds_pretrain_gpt_1.3B_MoE128.sh
NUM_GPUS=64
EP_SIZE=128
if [[ $EP_SIZE -gt $NUM_GPUS ]]; then
    EP_PARALLEL_SIZE=$NUM_GPUS
else
    EP_PARALLEL_SIZE=$EP_SIZE
fi
megatron_options="--tensor-model-parallel-size 1 \
    --moe-expert-parallel-size ${EP_PARALLEL_SIZE} --num-experts ${EP_SIZE} \
    --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 \
    --max-position-embeddings 2048 --micro-batch-size 4 --global-batch-size 512 --fp16"
run_cmd="deepspeed pretrain_gpt.py ${megatron_options} --deepspeed --deepspeed_config ds.json"
eval ${run_cmd}
