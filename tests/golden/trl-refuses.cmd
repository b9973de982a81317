# What constructors of TRL's trainers refuse, from the release on that does.
d=$(mktemp -d)
cd $d
said() {
	release=$1
	shift
	echo "$*" >run.sh
	parplan check --world 8 --framework trl@$release run.sh | grep -E 'error:|stops with' | sed "s/^/$release: /"
}
common='--model_name_or_path Qwen/Qwen3-4B --output_dir o --bf16'
for release in 0.19.0 1.9.0; do
	said $release trl dpo $common --sync_ref_model --precompute_ref_log_probs
	said $release trl dpo $common --loss_type exo_pair
	said $release trl dpo $common --loss_type exo_pair --label_smoothing 0.1
	said $release trl grpo $common --sync_ref_model
	said $release trl grpo $common --sync_ref_model --beta 0.04
	said $release trl rloo $common --auto_find_batch_size
	said $release trl sft $common --padding_free
	said $release trl kto $common --per_device_train_batch_size 1
	said $release trl kto $common --per_device_train_batch_size 1 --loss_type apo_zero_unpaired
done
