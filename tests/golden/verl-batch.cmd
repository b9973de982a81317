# Ranks of Ulysses share a sample: verl's mini-batch, and a batch in a file of ours, are cut over what is left of them.
# Scripts that hand their overrides to a command of another name, or to a launcher of a program of verl's, are verl's.
d=$(mktemp -d) || exit
trap 'rm -rf "$d"' EXIT
for ulysses in 1 2; do
	echo "python3 -m verl.trainer.main_ppo trainer.nnodes=1 trainer.n_gpus_per_node=8 actor_rollout_ref.actor.ppo_mini_batch_size=30
 actor_rollout_ref.rollout.n=2 actor_rollout_ref.actor.ulysses_sequence_parallel_size=$ulysses" | tr '\n' ' ' >"$d/run.sh"
	parplan explain "$d/run.sh" training.global_batch_size | head -n 1
done
while read -r global ulysses; do
	cat >"$d/ours.yaml" <<-YAML
		parplan: 1
		framework: {verl: latest}
		model: {preset: llama3-8b}
		parallelism: {dp_shard: 8, ulysses: $ulysses}
		training: {global_batch_size: $global}
	YAML
	echo "$global over 8 ranks, $ulysses of which share: $(parplan check --world 8 --format json "$d/ours.yaml" |
		jq -c '[.files[].findings[] | select(.rule == "batch-remainder") | .message]')"
done <<'BATCHES'
12 1
12 2
10 2
BATCHES
# starts FILE COMMAND
starts() {
	echo "$* data.train_files=a.parquet model.path=Qwen/Qwen3-8B engine=fsdp trainer.nnodes=1 trainer.n_gpus_per_node=8" >"$d/run.sh"
	parplan check --format json "$d/run.sh" | jq -r --arg command "$*" '"\($command): \(.files[].dialect)"'
}
starts '$COMMAND'
starts torchrun --nproc_per_node=8 -m verl_mlite.launch verl.trainer.sft_trainer
starts torchrun --nproc_per_node=8 other.py
echo 'python3 other.py trainer.devices=8 model.tensor_model_parallel_size=2 trainer.num_nodes=1' >"$d/run.sh"
parplan check --format json "$d/run.sh" | jq -r '"NeMo: \(.files[].dialect)"'
