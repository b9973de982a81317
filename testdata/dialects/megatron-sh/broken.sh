torchrun --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size 2 --context-paralel-size 2 \
    --pipeline-model-parallel-size $PP --num-layers twelve --micro-batch-size 4
