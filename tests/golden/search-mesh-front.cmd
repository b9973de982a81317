# A mesh of a script has no bounds before its plan: what is on the front is what --exhaustive finds.
search() {
	parplan search --gpu h100-sxm --gpus 32 --global-batch 32 --fix training.seq_len=2048 --set model.preset=llama3-8b \
		--top 2 --format json testdata/rules/mesh-slice-order.ok.yaml "$@" | jq -c '[.plans, .pareto, .neighbours]'
}
[ "$(search)" = "$(search --exhaustive)" ] && echo the same
search | jq '.[1] | length'
