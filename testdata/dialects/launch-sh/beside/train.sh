source ./env.sh
NODES=${1:-1}
shift
torchrun --nnodes $NODES --nproc_per_node ${GPUS:-8} --rdzv_endpoint $HEAD:29500 train.py --seed $SEED "$@"
