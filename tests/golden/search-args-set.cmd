# What --set says is not in the script: its words are among those that a launch needs, and what the script says already is not.
d=$(mktemp -d) && cd "$d" || exit 2
echo 'torchrun --nproc_per_node=8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --bf16 --vocab-size 32000 --use-distributed-optimizer' >run.sh
parplan search -q --gpu h100-sxm --set pipeline_model_parallel_size=2 --set parallelism.pipeline.virtual_stages=2 --set training.seq_len=4096 --top 1 --write best run.sh | grep '1~'
cat best/*.args
parplan sim run.sh --set cluster.gpu=h100-sxm -- $(cat best/*.args) | grep '  time'
parplan search -q --gpu h100-sxm --fix pp=4 --fix virtual_stages=2 --top 1 --write none run.sh | grep '1~'
cat none/*.args
rm -r "$d"
