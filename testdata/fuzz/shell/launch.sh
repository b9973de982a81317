#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gres=gpu:8
export NCCL_DEBUG=INFO
GPUS=${GPUS:-8}
WORLD=$(($GPUS * SLURM_NNODES))
ARGS=(
    --tp $TP # open
    --mbs "${MBS:=1}"
)
if [[ $WORLD -gt 8 && -n "$X" ]]; then
    ARGS+=(--pp 2)
elif [ -f ckpt ]; then
    ARGS+=("--load ckpt")
else
    echo "small"; exit 1
fi
for size in 7b 70b; do
    case $size in 7*) L=32 ;; *) L=80 ;; esac
    srun bash -c "torchrun --nnodes $SLURM_NNODES train.py ${ARGS[@]} --layers $L"
done
run() { local n=$1; eval "python $n ${2:-x}"; }
run a.py && run b.py || exit 1
sbatch <<EOF
#SBATCH -N 4
srun a \$HOME
EOF
