# Memory that runs out is an error where the config says all of it: not where sequences may be shorter than the greatest length, what starts
# the job may share the model, or something is asked for that is not counted.
d=$(mktemp -d) || exit
trap 'rm -rf "$d"' EXIT
cd "$d" || exit
model='model_name_or_path: meta-llama/Llama-3.1-8B-Instruct
bf16: true
per_device_train_batch_size: 64
gradient_checkpointing: true'
printf '%s\nfsdp: full_shard\nmax_length: 8192\nlearning_rate: 1e-5\n' "$model" >trl.yaml
printf '%s\ncutoff_len: 2048\nfinetuning_type: full\n' "$model" | sed 's/: 64/: 1/' >factory.yaml
printf 'llamafactory-cli train factory.yaml $MORE\n' >factory.sh
printf 'base_model: meta-llama/Llama-3.1-8B-Instruct\nsequence_len: 8192\nmicro_batch_size: 64\ndatasets: []\nbf16: true\n' >axolotl.yaml
printf 'fsdp_version: 2\nfsdp_config: {activation_checkpointing: true}\n' >>axolotl.yaml
cat >verl.sh <<'SH'
python3 -m verl.trainer.main_ppo data.max_prompt_length=1024 data.max_response_length=7168 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B \
	actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=32 trainer.n_gpus_per_node=8 trainer.nnodes=1 $MORE
SH
cat >own.sh <<'SH'
torchrun --nproc_per_node 8 train.py --model_name_or_path meta-llama/Llama-3.1-8B --bf16 true --fsdp full_shard --per_device_train_batch_size 16 \
	--model_max_length 8192 --output_dir o $MORE
SH
sed 's/torchrun --nproc_per_node 8/accelerate launch --use_fsdp --num_processes 8/; s/--fsdp full_shard//' own.sh >accelerate.sh
ask() { # FILE, OPTION...
	echo "== $*"
	COLUMNS=300 parplan check --world 8 --set cluster.gpu=h100-sxm "$@" | grep -E ' (error|note): the fullest|effect:'
	parplan sim --world 8 --gpu h100-sxm "$@" | grep -E '^  device|    open: (how long|who)'
	parplan sim --world 8 --gpu h100-sxm --format json "$@" | jq -c .memory.open
}
ask trl.yaml
ask trl.yaml --set packing=true
ask trl.yaml --set pad_to_multiple_of=8192
ask factory.yaml
ask factory.yaml --set stage=pt
ask factory.sh
ask factory.sh --env MORE=use_badam=true
ask axolotl.yaml
ask axolotl.yaml --set sample_packing=true
ask axolotl.yaml --set pad_to_sequence_len=true
ask verl.sh
ask verl.sh --env MORE=actor_rollout_ref.model.use_remove_padding=False
ask own.sh
ask own.sh --env 'MORE=--pad_to_max_length true'
ask accelerate.sh
