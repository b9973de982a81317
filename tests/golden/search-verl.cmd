# verl's fsdp_size says who shares, and how often the model is there follows from it: -1 is all ranks, however many.
d=$(mktemp -d)
sed 's/^  train_batch_size.*/&\n  max_prompt_length: 1024\n  max_response_length: 1024/' testdata/dialects/verl/hsdp.yaml >"$d/hsdp.yaml" && cd "$d"
for shard in 8 32; do
	COLUMNS=120 parplan search -q --gpus 32 --gpu h100-sxm --set model.preset=qwen2.5-7b --fix dp_shard=$shard --top 1 --write $shard hsdp.yaml | sed -n '/^Best/,/^$/p;/^Candidates/,/layouts/p'
	diff hsdp.yaml $shard/01-hsdp.yaml
	cat $shard/01-hsdp.yaml.flags
	xargs parplan check --strict -q $shard/01-hsdp.yaml <$shard/01-hsdp.yaml.flags
	echo $?
done
# A microbatch is nothing where batches are dynamic, and Megatron recomputes by keys of its own.
cd - >/dev/null
for set in actor_rollout_ref.model.enable_gradient_checkpointing=false actor_rollout_ref.actor.use_dynamic_bsz=true actor_rollout_ref.actor.strategy=megatron; do
	COLUMNS=200 parplan explain testdata/dialects/verl/hsdp.yaml --set $set --set actor_rollout_ref.model.path=x activation_checkpoint.mode micro_batch_size | sed -n '/=/p'
done
rm -r "$d"
