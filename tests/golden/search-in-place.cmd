# What a layout does not have leaves the file: of a recipe's flags the whole line, not the words null or false. Text stays text in TOML.
out=$(mktemp -d)
cp testdata/dialects/megatron/recipe.yaml testdata/titan/llama3-8b.toml "$out" && cd "$out"
sed -i "s,ac_option = \"2\",ac_option = \"op\"," llama3-8b.toml
sed -i 's/^  --bf16: true/  --bf16: true\n  --recompute-granularity: full\n  --recompute-method: uniform\n  --recompute-num-layers: 1/' recipe.yaml
parplan search --gpu h100-sxm --gpus 8 --fix tp=1 --fix training.micro_batch_size=4 --fix activation_checkpoint.mode=none --top 1 --write recipes recipe.yaml >recipe.txt
diff recipe.yaml recipes/01-recipe.yaml
parplan search --gpu h100-sxm --gpus 8 --fix training.activation_checkpoint.mode=selective --fix training.activation_checkpoint.option=2 --top 1 --write tomls llama3-8b.toml >toml.txt
diff llama3-8b.toml tomls/01-llama3-8b.toml
rm -r "$out"
