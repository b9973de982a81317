# Experts alone are dispatched, and by words of Megatron's.
for model in llama3-8b qwen3-30b-a3b; do
	echo "== $model"
	parplan convert --to megatron --set model.preset=$model testdata/titan/llama3-8b.toml 2>/dev/null | grep -e dispatcher -e num-layers
done
