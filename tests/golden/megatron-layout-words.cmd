# A layout of stages in a script is what Megatron-LM's parser takes: it has no word for equal parts, and an empty one is a stage of nothing.
run() { printf 'torchrun --nproc_per_node 8 pretrain_gpt.py --pipeline-model-parallel-size %s --pipeline-model-parallel-layout %s --num-layers 24 --hidden-size 2048 --num-attention-heads 32 --vocab-size 51200 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 64 --bf16\n' "$@"; }
for layout in even '""' '"||"' '"Et*12|t*12L"'; do
	for pp in 1 2; do
		echo "== $layout, pp $pp"
		run $pp "$layout" | parplan check - 2>/dev/null | tr '\n' ' ' | grep -o 'stops with:.*Error[^=]*' | tr -s ' '
	done
done
# In the native form equal parts have a word.
printf 'parplan: 1\nframework: {megatron: core@2025-11}\nworld: 8\nmodel: llama3-8b\nparallelism: {pp: 4, pipeline: {layer_split: even}}\n' | parplan check -q -
