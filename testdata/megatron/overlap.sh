#!/bin/bash
# OVERLAP is what the job asks to overlap; Megatron-LM overlaps nothing unasked
torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py \
	--tensor-model-parallel-size 4 --num-layers 24 --hidden-size 8192 --num-attention-heads 64 \
	--vocab-size 50257 --seq-length 2048 --max-position-embeddings 2048 --sequence-parallel \
	--micro-batch-size 4 --global-batch-size 32 --bf16 --use-distributed-optimizer ${OVERLAP-}
