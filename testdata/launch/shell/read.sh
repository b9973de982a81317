while read -r tp; do torchrun --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size $tp --num-layers 4; done < list
