torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 \
  --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 \
  --micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size 2 --bf16 \
  --use-distributed-optimizer --use-precision-aware-optimizer --main-grads-dtype bf16 \
  --exp-avg-dtype bf16 --exp-avg-sq-dtype fp8 --optimizer-cpu-offload \
  --optimizer-offload-fraction 0.5 --transformer-impl local
