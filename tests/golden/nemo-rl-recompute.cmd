# NeMo-RL hands Megatron a granularity only where activation checkpointing is asked for.
cd testdata/dialects/nemo-rl
out=$(mktemp -d)
cp grpo-base.yaml "$out"
for asked in true false; do
	sed "s/^  megatron_cfg:/&\n    activation_checkpointing: $asked\n    recompute_granularity: selective/" grpo-megatron.yaml >"$out/job.yaml"
	parplan explain "$out/job.yaml" training.activation_checkpoint.mode | sed "1s, (.*,,;q"
done
rm -r "$out"
