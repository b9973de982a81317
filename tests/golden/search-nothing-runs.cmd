parplan search --fix tp=3 plans/hsdp-2x8.yaml
for o in '--gpus 2 --gpu a100-40g --set expect={}' '--min-tokens-per-s 1e9' '--fix dp_shard=16' '--global-batch 7 --fix cp=1 --fix pp=1 --fix tp=1'; do
	echo "$o" && parplan search --top 1 $o plans/hsdp-2x8.yaml | sed -n '/^No layout/,/^$/p'
done
