# FSDP1's HYBRID_SHARD without degrees shares within each machine: 2 replicas of 8 where a machine has 8 devices, however that is said;
# not known where nobody says it of 16 ranks; flat on one machine. FSDP2 takes no such word.
d=$(mktemp -d)
printf 'base_model: NousResearch/Meta-Llama-3-8B\nsequence_len: 4096\nmicro_batch_size: 1\nfsdp: [hybrid_shard, auto_wrap]\nfsdp_config: {auto_wrap_policy: TRANSFORMER_BASED_WRAP}\n' >$d/axolotl.yaml
printf 'model_name_or_path: NousResearch/Meta-Llama-3-8B\nper_device_train_batch_size: 1\noutput_dir: out\nmax_length: 4096\nfsdp: hybrid_shard auto_wrap\n' >$d/trl.yaml
for file in axolotl trl; do
	for more in '--set cluster.gpus_per_node=8' '--set cluster.nodes=2' '--set parallelism.dp_replicate=4' ''; do
		printf '%s, 16 ranks %s: ' $file "$more"
		parplan plan --world 16 $more --framework axolotl@v0.13.0 $d/$file.yaml | grep -A1 '^Degrees' | tail -1
	done
	printf '%s, 8 ranks: ' $file
	parplan plan --world 8 --framework axolotl@v0.13.0 $d/$file.yaml | grep -A1 '^Degrees' | tail -1
done
printf 'fsdp_config: {fsdp_version: 2}\n' >>$d/trl.yaml
cd $d
parplan plan --world 16 --set cluster.gpus_per_node=8 trl.yaml | grep -A1 '^Degrees' | tail -1
parplan check --world 16 --set cluster.gpus_per_node=8 trl.yaml
