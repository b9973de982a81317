# A mixer with splits is alignment-handbook's, of TRL's trainers, one without open-instruct's; a key of Megatron-Bridge's arguments alone has
# LLaMA-Factory's file read by them.
d=$(mktemp -d) || exit
trap 'rm -rf "$d"' EXIT
cd "$d" || exit
printf 'model_name_or_path: meta-llama/Llama-3.1-8B\ndataset_mixer: {x: 1.0}\nper_device_train_batch_size: 1\n' >open.yaml
{ cat open.yaml && echo 'dataset_splits: [train_prefs]'; } >splits.yaml
{ cat open.yaml && echo 'use_peft: true'; } >peft.yaml
for file in *.yaml; do
	echo "$file: $(parplan plan --world 8 --format json "$file" | jq -c .dialect) $(parplan explain --world 8 "$file" training.tuner | head -n 1)"
done
base='model_name_or_path: meta-llama/Llama-3.2-1B-Instruct
finetuning_type: full
tensor_model_parallel_size: 2'
for more in 'mixed_precision: bf16_mixed' 'use_packed_sequences: false' 'use_packed_sequence: false' 'use_megatron_bridge: true
mixed_precision: bf16_mixed' 'overlap_grad_reduce: true'; do
	printf '%s\n%s\n' "$base" "$more" >factory.yml
	echo "== $more"
	COLUMNS=200 parplan check --world 8 factory.yml | grep -E ' (error|note): '
done
