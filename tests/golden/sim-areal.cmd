# AReaL's Megatron cuts 12 bytes of optimizer state for each of 8.03e9 / 2 parameters over dp 4 unless told otherwise.
d=$(mktemp -d)
for told in "" "megatron: {ddp: {use_distributed_optimizer: false}}"; do
	cat >"$d/grpo.yaml" <<END
experiment_name: a
trial_name: b
cluster: {n_nodes: 1, n_gpus_per_node: 8}
rollout: {backend: "sglang:d4p1t1"}
actor:
  backend: "megatron:d4p1t2c1"
  path: meta-llama/Meta-Llama-3-8B
  gradient_checkpointing: true
  $told
END
	parplan sim --set cluster.gpu=h100-sxm --set training.seq_len=4096 "$d/grpo.yaml" | sed -n '/^Memory/,/^  activations/p'
done
# Under FSDP parameters are stored, and updated, in optimizer_dtype: fp32 unless told otherwise (areal-project/AReaL@237a49f6a).
sed -i 's/megatron:d4p1t2c1/fsdp:d8/; /megatron:/d' "$d/grpo.yaml"
for told in "" "actor.optimizer_dtype=bfloat16"; do
	parplan sim --set cluster.gpu=h100-sxm --set training.seq_len=4096 ${told:+--set "$told"} "$d/grpo.yaml" | sed -n '/^Memory/,/^  optimizer/p'
done
rm -r "$d"
