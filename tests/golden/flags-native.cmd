parplan check plans/fsdp-8.yaml -- --parallelism.tensor_parallel_degree 2 stray; parplan check plans/fsdp-8.yaml -- torchrun --nproc_per_node 8 train.py --lr 3
