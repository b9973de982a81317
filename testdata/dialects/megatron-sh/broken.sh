torchrun --nproc_per_node 8 pretrain_gpt.py --tensor-model-paralel-size 2 \
    --pipeline-model-parallel-size $PP --num-layers twelve --micro-batch-size 4
