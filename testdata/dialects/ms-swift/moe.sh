# After examples/megatron/lora/qwen3_235b.sh of ms-swift@3602360a: experts are not cut by tp.
PYTORCH_CUDA_ALLOC_CONF='expandable_segments:True' \
NPROC_PER_NODE=8 \
NNODES=2 \
megatron sft \
    --model Qwen/Qwen3-30B-A3B-Instruct-2507 \
    --dataset 'swift/self-cognition#1000' \
              'swift/chat#500' \
    --tuner_type lora \
    --tensor_model_parallel_size 4 \
    --expert-model-parallel-size 8 \
    --micro_batch_size 2 \
    --global_batch_size 16 \
    --sequence_parallel true
