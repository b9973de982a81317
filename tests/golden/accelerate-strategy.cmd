# `accelerate config` writes FSDP1's strategy where accelerate launch never looks for it: the model is shared over all ranks.
file() {
	printf 'distributed_type: FSDP\nfsdp_config:\n  fsdp_version: %s\n' "$1"
	shift
	printf '  %s\n' "$@"
	printf 'num_machines: 2\nnum_processes: 16\nmixed_precision: bf16\n'
}
file 1 'fsdp_reshard_after_forward: HYBRID_SHARD' | parplan check -
file 1 'fsdp_reshard_after_forward: HYBRID_SHARD' | parplan plan - | sed -n '/^Degrees/,/^$/p'
for said in 'HYBRID_SHARD' 'FULL_SHARD' 'true' 'false' 'SHARD_GRAD_OP
  fsdp_sharding_strategy: HYBRID_SHARD'; do
	file 1 "fsdp_reshard_after_forward: $said" | parplan check - | grep -q strategy-ignored || echo "silent: $said"
done
file 2 'fsdp_reshard_after_forward: false' | parplan check -q --strict --set model.preset=llama3-8b - && echo "silent: FSDP2"
# FSDP2 takes a switch alone, in accelerate's own words for it.
for word in FULL_SHARD always on; do
	printf 'distributed_type: FSDP\nnum_processes: 4\nfsdp_config:\n  fsdp_version: 2\n  fsdp_reshard_after_forward: %s\n' $word | parplan check - | grep -E 'error|actual|stops|no findings'
done
