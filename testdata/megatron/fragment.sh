#!/bin/bash
# Flags alone, as NVIDIA/Megatron-LM examples/rl/model_configs: another script starts the command, and has more of them.
TP=${TP:-4}
if [ "$(basename "$ENV_CONFIG")" = "dapo.yaml" ]; then
  MAX_SEQ_LENGTH=${MAX_SEQ_LENGTH:-11999}
else
  MAX_SEQ_LENGTH=${MAX_SEQ_LENGTH:-1024}
fi
MODEL_OPTIONS="\
  --seq-length $MAX_SEQ_LENGTH \
  --bf16 \
  --tensor-model-parallel-size $TP \
  --pipeline-model-parallel-size 1 \
  --expert-model-parallel-size 2 \
  --num-layers 48 \
  --hidden-size 2048 \
  --ffn-hidden-size 6144 \
  --num-attention-heads 32 \
  --max-position-embeddings 40960 \
  --vocab-size 151936 \
  --num-experts 128 \
  --moe-router-topk 8 \
  --moe-ffn-hidden-size 768 \
  "
