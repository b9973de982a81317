# Whole gradients that wait under FSDP for the last pass of a step, as torch 2.13.0 keeps them: fully_shard in the type of the
# reduction, FSDP1 in that of computing. Who has them wait, and who reduces after each pass.
d=$(mktemp -d) || exit
trap 'rm -rf "$d"' EXIT
say() {
	what=$1 file=$2
	shift 2
	parplan sim --world 8 --set cluster.gpu=h200-sxm --set cluster.gpus_per_node=8 --format json "$@" "$file" |
		jq -r --arg what "$what" '"\($what): \(.memory.classes[0] | [.unsharded, .gradients] | map(. * 10 | round / 10)) GiB at the peak, whole and of a rank"'
}
native() {
	cat >"$d/native.yaml" <<YAML
parplan: 1
framework: {$1}
model: {preset: llama3-8b}
parallelism: {dp_shard: 8, fsdp_version: $2}
training: {micro_batch_size: 1, seq_len: 4096, gradient_accumulation_steps: $3, reduce_dtype: float32, activation_checkpoint: {mode: full}}
YAML
}
native 'accelerate: 1.13.0, torch: 2.9.0' 2 4
say 'accelerate, FSDP2, fp32' "$d/native.yaml"
say 'told to reduce after each' "$d/native.yaml" --set parallelism.reduce_each=true
native 'accelerate: 1.13.0, torch: 2.9.0' 1 4
say 'accelerate, FSDP1, bf16' "$d/native.yaml"
# no_sync of accelerate before 1.11 knows no fully_shard
for version in 1 2; do
	native 'accelerate: 1.10.1, torch: 2.9.0' $version 4
	say "accelerate 1.10.1, FSDP$version" "$d/native.yaml"
done
native 'accelerate: 1.13.0, torch: 2.9.0' 2 1
say 'a step of one pass' "$d/native.yaml"
for framework in transformers axolotl nemo-automodel nemo-rl torchtune torchtitan trl lightning composer; do
	native "$framework: latest" 2 4
	say "$framework" "$d/native.yaml"
done
for framework in lightning composer; do
	native "$framework: latest, torch: 2.9.0" 1 4
	say "$framework, FSDP1" "$d/native.yaml"
done
for trainer in HF TRL_SFT OUMI; do
	cat >"$d/oumi.yaml" <<-YAML
		model: {model_name: meta-llama/Llama-3.1-8B, model_max_length: 4096, torch_dtype_str: bfloat16}
		data: {train: {datasets: [{dataset_name: some}], pack: true}}
		training: {trainer_type: $trainer, per_device_train_batch_size: 1, gradient_accumulation_steps: 4, enable_gradient_checkpointing: true}
		fsdp: {enable_fsdp: true, sharding_strategy: FULL_SHARD}
	YAML
	say "oumi's trainer $trainer" "$d/oumi.yaml"
done
# accelerate before 1.11 does not tell fully_shard to wait, and trainers' versions are of its
for framework in 'accelerate: 1.10.1' 'accelerate: 1.11.0' 'accelerate: 2025-09-06' 'accelerate: 2025-09-08' 'axolotl: 0.12.2' \
	'axolotl: 0.13.0' 'llama-factory: 2025-10-04' 'llama-factory: 2025-10-21' 'transformers: 5.2.0, accelerate: 1.10.1'; do
	native "$framework" 2 4
	say "$framework" "$d/native.yaml"
done
native 'accelerate: 1.10.1, torch: 2.9.0' 1 4
say 'accelerate: 1.10.1, FSDP1' "$d/native.yaml"
cat >"$d/axolotl.yaml" <<'YAML'
base_model: meta-llama/Llama-3.1-8B
fsdp_version: 2
fsdp_config: {reshard_after_forward: true, transformer_layer_cls_to_wrap: LlamaDecoderLayer, auto_wrap_policy: TRANSFORMER_BASED_WRAP}
bf16: true
micro_batch_size: 1
gradient_accumulation_steps: 4
gradient_checkpointing: true
sequence_len: 4096
YAML
say "axolotl's file" "$d/axolotl.yaml"
echo 'accelerator_config: {gradient_accumulation_kwargs: {sync_each_batch: true}}' >>"$d/axolotl.yaml"
say 'with sync_each_batch' "$d/axolotl.yaml"
# which the Trainer of transformers 4.46.2 to 5.1 does not read
for version in transformers@4.57.6 transformers@5.2.0; do
	say "with sync_each_batch, $version" "$d/axolotl.yaml" --framework $version
done
for trainer in TRL_SFT OUMI; do
	cat >"$d/oumi.yaml" <<YAML
model: {model_name: meta-llama/Llama-3.1-8B, model_max_length: 4096, torch_dtype_str: bfloat16}
data: {train: {datasets: [{dataset_name: x}]}}
training: {trainer_type: $trainer, per_device_train_batch_size: 1, gradient_accumulation_steps: 4, enable_gradient_checkpointing: true}
fsdp: {enable_fsdp: true}
YAML
	say "oumi, $trainer" "$d/oumi.yaml"
done
printf '%s\n' 'model_name_or_path: meta-llama/Llama-3.1-8B' 'dataset_mixer: {x: 1.0}' 'max_seq_length: 4096' 'per_device_train_batch_size: 1' \
	'gradient_accumulation_steps: 4' 'sync_each_batch: true' >"$d/instruct.yaml"
parplan explain --dialect open-instruct "$d/instruct.yaml" | grep reduce_each | cut -d'(' -f1
for version in 0.14.0 0.15.0; do
	say "axolotl $version" "$d/axolotl.yaml" --framework axolotl@$version
	parplan check --world 8 --framework axolotl@$version "$d/axolotl.yaml" | grep unread-key
done
for version in 4.45.2 4.46.3 5.1.0 5.2.0; do
	echo "torchrun --nproc-per-node 8 train.py --fsdp full_shard --bf16 --per_device_train_batch_size 1 --gradient_accumulation_steps 4
 --accelerator_config '{\"gradient_accumulation_kwargs\": {\"sync_each_batch\": true}}'" | tr '\n' ' ' >"$d/run.sh"
	printf 'transformers %s: ' $version
	parplan check --framework transformers@$version --format json "$d/run.sh" | jq -c '[.files[].findings[] | select(.rule == "unread-key") | .message]'
done
echo 'python3 -m verl.trainer.main_ppo trainer.nnodes=1 trainer.n_gpus_per_node=8 data.train_batch_size=128
 data.max_prompt_length=1024 data.max_response_length=1024 actor_rollout_ref.model.path=meta-llama/Llama-3.1-8B
 actor_rollout_ref.model.use_remove_padding=True actor_rollout_ref.actor.strategy=fsdp2 actor_rollout_ref.rollout.name=vllm
 actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=1 actor_rollout_ref.actor.ppo_mini_batch_size=128
 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1' | tr '\n' ' ' >"$d/verl.sh"
say 'verl' "$d/verl.sh"
say 'verl 0.8.0' "$d/verl.sh" --framework verl@v0.8.0
