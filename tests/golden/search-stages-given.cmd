# Layers of a stage that are fixed are those of the layouts that have them, and so are the stages of a rank that --set gives.
plain=$(mktemp) || exit
trap 'rm -f "$plain"' EXIT
sed '/^expect/,$d' plans/hsdp-2x8.yaml >"$plain"
for layers in 3 17 4; do
	parplan search --fix pp=2 --fix tp=1 --fix cp=1 --fix layers_per_stage=$layers --top 1 "$plain" | sed -n '/^Best/,/^$/p;/^No/,/^$/p'
done
for option in --fix=layers_per_stage=3 --fix=layers_per_stage=4 --set=parallelism.pipeline.virtual_stages=3; do
	parplan search --gpu h200 --fix tp=8 --fix pp=2 --fix mode=none --fix micro_batch_size=1 "$option" testdata/megatron/overlap.sh |
		sed -n '/^Best/,/^$/p;/^No/,/^$/p'
done
