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
# Nothing is written that is so without being written, and what is stands as its neighbours do.
cp "$OLDPWD"/testdata/dialects/torchtune/dpo.yaml "$OLDPWD"/testdata/dialects/gpt-neox/19b.yml .
parplan search --gpus 16 --gpu h100-sxm --set model.preset=llama3-1b --global-batch 512 --top 1 --write tunes dpo.yaml >dpo.txt 2>&1
diff dpo.yaml tunes/01-dpo.yaml
sed 's/full_dpo/full_finetune/; /_dim/d; /^ac_mode/d' dpo.yaml >full.yaml
parplan search --gpus 16 --gpu h100-sxm --global-batch 512 --fix cp=1 --top 1 --write tunes2 full.yaml >full.txt 2>&1
diff full.yaml tunes2/01-full.yaml
parplan search --gpus 8 --gpu h200 --set model.vocab=50432 --set model.ffn=24576 --fix tp=2 --fix pp=4 --fix training.micro_batch_size=1 --fix activation_checkpoint.mode=full --top 1 --write neox 19b.yml >neox.txt 2>&1
diff 19b.yml neox/01-19b.yml
rm -r "$out"
