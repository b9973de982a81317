# What verl's engines keep on a rank of llama3-8b (8.03e9 parameters) over 8.
states() {
	echo "== $*"
	echo "python3 -m verl.trainer.main_ppo data.max_prompt_length=1024 data.max_response_length=3072 actor_rollout_ref.model.path=meta-llama/Meta-Llama-3-8B \
actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 trainer.n_gpus_per_node=8 trainer.nnodes=1 $*" >"$d/run.sh"
	parplan sim --set cluster.gpu=h100-sxm "$d/run.sh" | sed -n '/^Memory/,/^  allocator/{/^  [pgo]/p}'
}
d=$(mktemp -d)
a=actor_rollout_ref.actor
# Megatron: 12 bytes of optimizer state for each of 8.03e9 / 2 parameters, over dp 4 unless told otherwise.
states $a.strategy=megatron $a.megatron.tensor_model_parallel_size=2
states $a.strategy=megatron $a.megatron.tensor_model_parallel_size=2 $a.megatron.use_distributed_optimizer=False
parplan explain "$d/run.sh" sequence_parallel | head -1 | sed 's/ (.*run.sh:/ (run.sh:/'
# FSDP: 4, 4 and 8 bytes over 8, in bf16 2, 2 and 4; FSDP2 alone offloads.
states $a.strategy=fsdp $a.fsdp_config.offload_policy=True
states $a.strategy=fsdp $a.fsdp_config.model_dtype=bf16
states $a.strategy=fsdp2 $a.fsdp_config.offload_policy=True
rm -r "$d"
# Dynamic batches: 16384 tokens are 4 sequences of 4096, with Ulysses over 2 they are 8 of the 16 that two ranks share; the microbatch has no key.
d=$(mktemp -d)
for told in "" $a.ulysses_sequence_parallel_size=2 $a.ppo_max_token_len_per_gpu=4096; do
	echo "python3 -m verl.trainer.main_ppo data.max_prompt_length=1024 data.max_response_length=3072 actor_rollout_ref.model.path=meta-llama/Meta-Llama-3-8B \
$a.ppo_mini_batch_size=64 $a.use_dynamic_bsz=True $a.ppo_micro_batch_size_per_gpu=2 trainer.n_gpus_per_node=8 trainer.nnodes=1 $told" >"$d/run.sh"
	parplan explain "$d/run.sh" micro_batch_size | head -1
	parplan check -q "$d/run.sh"
done
COLUMNS=120 parplan search -q --gpu h100-sxm --top 2 "$d/run.sh" | sed -n '/^Best/,/^$/p'
rm -r "$d"
# Megatron's sequences are padded to whole parts: 1022 tokens to a multiple of 2 x 2 x 2 for tp 2 and cp 2.
d=$(mktemp -d)
for cp in 1 2; do
	echo "python3 -m verl.trainer.main_ppo data.max_prompt_length=511 data.max_response_length=511 actor_rollout_ref.model.path=meta-llama/Meta-Llama-3-8B \
$a.strategy=megatron $a.megatron.tensor_model_parallel_size=2 $a.megatron.context_parallel_size=$cp $a.ppo_micro_batch_size_per_gpu=1 trainer.n_gpus_per_node=8" >"$d/run.sh"
	parplan explain "$d/run.sh" seq_len | head -1
	parplan check -q "$d/run.sh"
done
rm -r "$d"
