# TorchTitan's own names of schedules, before and after torch looked them up.
for version in a88dc4125^ a88dc4125; do
	echo "== $version"
	parplan check --framework torchtitan@$version --world 8 testdata/titan/own-schedule.toml
done
# before cec7fb6fc split points alone make stages; no model is needed to look up a name
parplan check --framework torchtitan@a88dc4125^ --world 8 \
	--set experimental.pipeline_parallel_split_points=[] testdata/titan/own-schedule.toml
parplan check --framework torchtitan@v0.2.2 --world 8 --set parallelism.pp=2 \
	--set parallelism.pipeline.schedule=interleaved_1f1b testdata/titan/tokens-per-step.yaml
# its own names are compared to the letter
parplan check --framework torchtitan@a88dc4125^ --world 8 \
	--set experimental.pipeline_parallel_schedule=1F1B testdata/titan/own-schedule.toml
