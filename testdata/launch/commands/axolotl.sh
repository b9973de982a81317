axolotl train axolotl.yaml --launcher torchrun -- --nproc_per_node=8 --nnodes=2
