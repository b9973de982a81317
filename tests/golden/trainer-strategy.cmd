# What a Trainer makes of a strategy of FSDP1's, by the release of transformers: FSDP1 takes it up to 5.3 and FULL_SHARD from 5.4 on; FSDP2, the
# default from 5.10 on, stops at it. fsdp_config's reshard_after_forward is of FSDP2, which 4 has not, and gathers once up to 5.3 unless told.
file() {
	printf 'model_name_or_path: NousResearch/Meta-Llama-3-8B\nper_device_train_batch_size: 1\noutput_dir: out\nmax_length: 4096\n'
	printf '%s\n' "$@"
}
said() {
	file "$@" | parplan check --world 16 --set cluster.gpus_per_node=8 --framework transformers@$release - | grep -E 'error:|warning:|stops with'
	file "$@" | parplan plan --world 16 --set cluster.gpus_per_node=8 --framework transformers@$release - 2>/dev/null | grep -A1 "^Degrees" | sed -n '/^Degrees/{n;s/, cp.*//;p}'
}
keeps() {
	file "$@" | parplan init --framework transformers@$release - | grep -oE '(fsdp_version|reshard_after_forward): .*' | tr '\n' ' '
	echo
}
for release in 4.57.6 5.3.0 5.4.0 5.10.1; do
	echo "transformers $release"
	said 'fsdp: hybrid_shard auto_wrap'
	said 'fsdp: [full_shard, auto_wrap]' 'fsdp_config: {version: 1, reshard_after_forward: true}'
	said 'fsdp: full_shard' 'fsdp_config: {version: 2, reshard_after_forward: hybrid_shard}'
	keeps 'fsdp: full_shard' 'fsdp_config: {version: 2}'
	keeps 'fsdp: full_shard' 'fsdp_config: {version: 2, reshard_after_forward: no}'
	keeps 'fsdp: shard_grad_op' 'fsdp_config: {version: 2}'
done
# offload alone, or two strategies, are refused up to 5.9; fsdp beside deepspeed always is; fsdp_config alone shards nothing.
for release in 5.4.0 5.10.1; do
	echo "transformers $release"
	said 'fsdp: offload'
	said 'fsdp: offload auto_wrap'
	said 'fsdp: [full_shard, shard_grad_op]'
	said 'fsdp: full_shard' 'deepspeed: ds_z3_config.json'
done
file 'fsdp: offload' | parplan check --world 8 - | grep -A8 strategy-refused
for config in 'fsdp_config: {min_num_params: 1000}' 'fsdp: ""
fsdp_config: {min_num_params: 1000}'; do
	file "$config" | parplan check --world 8 - | grep -A6 strategy-ignored || echo nothing
done
file 'fsdp: "full_shard auto_warp"' | parplan check --world 8 - | grep -A8 bad-word
# axolotl writes FSDP's version itself, and hands `fsdp` to the Trainer of its pin; `fsdp` alone it cannot read.
for release in v0.13.0 v0.15.0 v0.16.0 v0.18.0; do
	echo "axolotl $release"
	for more in 'fsdp_config: {auto_wrap_policy: TRANSFORMER_BASED_WRAP}' 'fsdp_version: 2
fsdp_config: {auto_wrap_policy: TRANSFORMER_BASED_WRAP}' ''; do
		printf 'base_model: NousResearch/Meta-Llama-3-8B\nsequence_len: 4096\nmicro_batch_size: 1\nfsdp: [hybrid_shard]\n%s\n' "$more" |
			parplan check --world 16 --set cluster.gpus_per_node=8 --framework axolotl@$release - | grep -E 'error:|warning:|stops with'
	done
done
