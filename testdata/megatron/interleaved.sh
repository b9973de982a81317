#!/bin/bash
# 125 microbatches over 8 stages of 5 chunks: 5 are left over in groups of 8
GROUP=${GROUP:-8}
BATCH=${BATCH:-125}
torchrun --nproc_per_node 8 --nnodes 8 pretrain_gpt.py \
	--tensor-model-parallel-size 8 --pipeline-model-parallel-size 8 \
	--num-layers-per-virtual-pipeline-stage 2 \
	--microbatch-group-size-per-virtual-pipeline-stage $GROUP \
	--num-layers 80 --hidden-size 8192 --num-attention-heads 64 --group-query-attention \
	--num-query-groups 8 --seq-length 4096 --max-position-embeddings 4096 --sequence-parallel \
	--micro-batch-size 1 --global-batch-size $BATCH --bf16
