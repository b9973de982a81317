# Tensor parallelism fills the ranks of a script: data parallelism of a layout with less of it is said once.
d=$(mktemp -d)
echo 'torchrun --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size 8 --num-layers 24 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 2 --global-batch-size 64 --vocab-size 51200 --bf16 --use-distributed-optimizer' >$d/run.sh
cd $d
parplan search --gpu a100-80g --fix pp=1 --fix tp=1 --fix cp=1 --top 1 --write best run.sh 2>/dev/null | sed -n '/^Yours/,/^$/p'
cat best/*.flags
rm -r $d
