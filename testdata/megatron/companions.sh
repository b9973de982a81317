#!/bin/bash
# ASKED is what the job computes again and overlaps; EP how many ranks share the experts
torchrun --nproc_per_node 8 --nnodes 1 pretrain_gpt.py \
	--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --expert-model-parallel-size ${EP:-2} \
	--num-experts 8 --moe-shared-expert-intermediate-size 2048 \
	--num-layers 24 --hidden-size 4096 --num-attention-heads 32 \
	--vocab-size 51200 --seq-length 2048 --max-position-embeddings 2048 --sequence-parallel \
	--micro-batch-size 1 --global-batch-size 64 --bf16 \
	${ASKED:---recompute-granularity selective --recompute-modules layernorm}
