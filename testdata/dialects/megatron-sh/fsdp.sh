#!/bin/bash
#SBATCH --nodes=4 --ntasks-per-node=8
# as NVIDIA/Megatron-LM examples/megatron_fsdp/sbatch_mfsdp_deepseek_v3.sh
ARGS="--tensor-model-parallel-size 1 --expert-model-parallel-size ${EP:-8} \
    --num-layers 8 --num-experts 64 --hidden-size 2048 --num-attention-heads 16 \
    --use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params \
    --ckpt-format fsdp_dtensor --micro-batch-size 1 --global-batch-size 64 --bf16"
srun bash -c "python pretrain_gpt.py ${ARGS}"
