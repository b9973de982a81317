echo "torchrun --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size 4"
# torchrun --nproc_per_node 8 pretrain_gpt.py
