# Megatron's --attention-backend fused is cuDNN's attention in Transformer Engine: it keeps what flash keeps, unfused more.
d=$(mktemp -d)
peak() {
	echo "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 \
--max-position-embeddings 4096 --vocab-size 50304 --tensor-model-parallel-size 4 --micro-batch-size 1 --global-batch-size 64 --bf16 \
--attention-backend $1" >"$d/run.sh"
	parplan sim --gpu h100-sxm --format json "$d/run.sh" | jq .memory.peak_gib
}
jq -n "[$(peak fused) == $(peak flash), $(peak fused) < $(peak unfused)]" | tr -d ' \n'
echo
rm -r "$d"
