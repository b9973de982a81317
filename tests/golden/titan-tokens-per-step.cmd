parplan check testdata/titan/tokens-per-step.yaml
parplan check --set training.tokens_per_step=131072 testdata/titan/tokens-per-step.yaml
# two microbatches of a pipeline count, too
parplan check --set training.cuda_graph=false --set parallelism.pp=2 --set parallelism.dp_shard=2 --set training.tokens_per_step=32768 \
	--set parallelism.pipeline.microbatches=2 testdata/titan/tokens-per-step.yaml
