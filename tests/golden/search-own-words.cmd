# What a file is told is a word of its framework: TorchTitan's "none" is no null in Primus either; of Megatron's arguments a recipe gets those that are flags, and LLaMA-Factory's YAML those that mcore_adapter has.
out=$(mktemp -d)
cp testdata/dialects/primus/titan.yaml testdata/dialects/megatron/recipe.yaml "$out" && cp testdata/dialects/llama-factory/megatron.yaml "$out"/factory.yaml && cd "$out"
parplan search --gpus 64 --gpu h100-sxm --set model.preset=llama3-8b --global-batch 256 --fix ep=1 --fix activation_checkpoint.mode=none --top 1 --write titans titan.yaml >titan.txt
diff titan.yaml titans/01-titan.yaml
parplan search --gpu h100-sxm --gpus 8 --set model.vocab=50257 --fix tp=2 --fix pp=2 --fix virtual_stages=3 --top 1 --write recipes recipe.yaml >recipe.txt
diff recipe.yaml recipes/01-recipe.yaml
sed 's/^  --bf16: true/  --virtual-pipeline-model-parallel-size: 3/' recipe.yaml | parplan check - | sed -n '/flag/,/^$/p'
parplan search --gpus 16 --gpu h200 --fix pp=2 --fix tp=2 --top 1 --write factories factory.yaml >factory.txt 2>&1
diff factory.yaml factories/01-factory.yaml
rm -r "$out"
