#!/bin/bash
# As NVIDIA/Megatron-LM examples/multimodal/nvlm/run_text_generation_*.sh: experts under tp generate without sequence parallelism.
torchrun --nproc_per_node 8 examples/multimodal/run_text_generation.py --tensor-model-parallel-size 4 --bf16 \
	--num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 \
	--vocab-size 32000 --num-experts 8 --micro-batch-size 1
