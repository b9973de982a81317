#!/bin/bash
# $1 is what the job computes again; the default is the first 2 of the 6 layers of each virtual stage
torchrun --nproc_per_node 8 --nnodes 1 pretrain_gpt.py \
	--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 \
	--num-layers-per-virtual-pipeline-stage 6 \
	--num-layers 24 --hidden-size 4096 --num-attention-heads 32 \
	--vocab-size 51200 --seq-length 2048 --max-position-embeddings 2048 --sequence-parallel \
	--micro-batch-size 1 --global-batch-size 64 --bf16 \
	${RECOMPUTE:---recompute-granularity full --recompute-method block --recompute-num-layers 2}
