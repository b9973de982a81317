#!/bin/bash
#SBATCH --nodes=4
#SBATCH --gpus-per-node=8
for pp in 1 2 4; do
srun --ntasks-per-node=1 torchrun --nnodes $SLURM_NNODES --nproc_per_node 8 --rdzv_backend c10d pretrain_gpt.py --pipeline-model-parallel-size $pp --bf16 --num-layers 32
done
