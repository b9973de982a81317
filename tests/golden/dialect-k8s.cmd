# Every kind of job, and what is told of each.
for file in pytorchjob pytorchjob-auto trainjob trainjob-cpu jobset rayjob hyperpod volcano pod helm helm-odd megatron torchtitan; do
	parplan check testdata/dialects/k8s/$file.yaml
	parplan plan --format json testdata/dialects/k8s/$file.yaml | jq -c '[.dialect, .world_size, .declared, .error]'
done
parplan check --env NUM_NODES=2 --env GPU_PER_NODE=8 testdata/dialects/k8s/hyperpod.yaml
parplan check testdata/dialects/k8s/broken.yaml
