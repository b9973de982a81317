# the number of machines comes from outside
GPUS_PER_NODE=${GPUS_PER_NODE:-4}
torchrun --nnodes=$NUM_NODES --nproc-per-node=$GPUS_PER_NODE --node_rank $NODE_RANK train.py --lr 1e-4
