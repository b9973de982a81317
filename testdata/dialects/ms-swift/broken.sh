# a batch that the ranks cannot share
NPROC_PER_NODE=8 megatron pt --model Qwen/Qwen2.5-7B --tensor_model_parallel_size 2 \
    --micro_batch_size 3 --global_batch_size 32
