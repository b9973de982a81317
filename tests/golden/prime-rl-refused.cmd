# What prime-rl's own config refuses is not proposed: cp needs a model of its own and microbatches of one sequence, and attention that nobody names may be FlashAttention 4.
f=testdata/dialects/prime-rl/sft.toml
for set in model.cp=2 'model.cp=2 --set model.impl=custom --set data.micro_batch_size=2' 'model.cp=2 --set model.attn=sdpa' model.attn=auto; do
	parplan check -q --world 4 --set $set $f | sed -n '/stops with/,/fix/{/fix/!p;}'
done
parplan search --gpus 8 --gpu h100-sxm --set model.preset=qwen3-4b --global-batch 64 --top 2 $f | sed -n '/^Best/,/^$/p; /^One step/,/^$/p'
