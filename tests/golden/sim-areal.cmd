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
rm -r "$d"
