# Who shares the model of a file that leaves it to what starts it: told, or said to be unknown.
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
printf 'model_name_or_path: Qwen/Qwen3-4B\nstage: sft\nfinetuning_type: full\ntemplate: qwen3\n' >factory.yaml
printf 'model_name_or_path: Qwen/Qwen3-4B\ndataset_name: trl-lib/Capybara\nmax_length: 2048\n' >trl.yaml
printf 'model: {model_name: Qwen/Qwen3-4B, model_max_length: 2048}\ntraining: {trainer_type: TRL_SFT, per_device_train_batch_size: 2}\n' >oumi.yaml
sed 's/TRL_SFT/OUMI/' oumi.yaml >own.yaml
printf 'distributed_type: FSDP\nfsdp_config: {fsdp_version: 2}\nnum_processes: 8\n' >fsdp.yaml
for file in factory trl oumi own; do
	for line in '' 'torchrun --nproc_per_node 8' 'accelerate launch --num_processes 8' 'accelerate launch --multi_gpu --num_processes 8' \
		'accelerate launch --use_fsdp --fsdp_version 2 --num_processes 8' 'accelerate launch --config_file fsdp.yaml'; do
		printf '%s, %s: ' "$file" "${line:-nothing}"
		# shellcheck disable=SC2086
		parplan plan --world 8 $file.yaml ${line:+-- $line sft.py} | sed -n 's/ *asked for  *//p' | tr '\n' ' '
		# shellcheck disable=SC2086
		parplan check --world 8 --format json $file.yaml ${line:+-- $line sft.py} | jq -r '[.files[].findings[] | select(.rule == "sharing-unknown") | .message] | join("; ")'
	done
done
