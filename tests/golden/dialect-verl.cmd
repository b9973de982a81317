# verl's YAML and scripts: what is told of each.
for file in hsdp.yaml part.yaml task.yaml broken.yaml megatron.sh broken-rollout.sh broken-batch.sh sft.sh sft-one.sh; do
	echo "== $file"
	parplan check testdata/dialects/verl/$file
	parplan plan --format json testdata/dialects/verl/$file | jq -c '[.dialect, .world_size, .declared, .error]'
done 2>&1
parplan plan testdata/dialects/verl/hsdp.yaml
parplan plan --env TP=8 testdata/dialects/verl/megatron.sh
parplan check --env SKYPILOT_NUM_NODES=2 --env SKYPILOT_NUM_GPUS_PER_NODE=8 testdata/dialects/verl/task.yaml
