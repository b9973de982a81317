oumi distributed torchrun --nproc_per_node 2 -m oumi train -c oumi.yaml
