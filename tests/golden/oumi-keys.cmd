# oumi's dataclasses refuse keys that they have not, and values of another kind.
T=$(mktemp -d) && cd "$T" || exit 2
check() {
	printf '%s\n' "$1" >train.yaml
	printf '%s -> ' "$2"
	parplan check --ignore sharing-unknown --world 8 --format json train.yaml | jq -r '[.files[].findings[] | .severity + ": " + .message + (if .quote then " [" + .quote + "]" else "" end) + (if .fix then " (" + .fix.description + ")" else "" end)] | if . == [] then "nothing" else join("; ") end'
}
with() {
	check "model: {model_name: Qwen/Qwen3-4B, model_max_length: 2048$1}
data:
  train:
    datasets: [{dataset_name: yahma/alpaca-cleaned$2}]$3
training: {trainer_type: TRL_SFT, per_device_train_batch_size: 2$4}
$5" "$1$2$3$4$5"
}
with ', learning_rate: 1e-4'
with ', model_ma_length: 2048'
with ', mine: 1'
with '' ', spilt: train'
with '' ', pack: true'
with '' '' '
    packs: true'
with '' '' '' ', lora_r: 8'
with '' '' '' ', datasets: []'
with '' '' '' ', enable_gradient_checkpointing: maybe, output_dir: [a, b]'
with '' '' '' ', optimizer: adamw_torhc, logging_steps: often'
with '' '' '' ', grpo: {num_generation: 8}'
with '' '' '' '' 'fsdp: {enable_fsdp: true, sharding_stategy: FULL_SHARD}'
with '' '' '' '' 'peft: {lora_alpah: 16}'
with '' '' '' '' 'learning_rate: 1e-4'
with '' '' '' '' 'deepspeed: {enable_deepspeed: true, zero_stage: ZERO_3, offload_optimizer: {devices: cpu}}'
with ', torch_dtype_str: bfloat16, chat_template: null' ', split: train, shuffle: yes' '
    pack: true' ', dataloader_num_workers: auto, optimizer: adamw_torch, learning_rate: "1e-4", trainer_kwargs: {any: thing}' 'peft: {lora_r: 8, lora_target_modules: [q_proj]}'
