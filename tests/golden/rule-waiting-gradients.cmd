# does-not-fit offers what has FSDP reduce gradients after each pass, where that fits, in the words of the file: with smaller
# microbatches, in place of them, and as an edit of what the file says; not where the version does not read the key.
d=$(mktemp -d) || exit
trap 'rm -rf "$d"' EXIT
fit() {
	what=$1 file=$2
	shift 2
	parplan check --world 8 --set cluster.gpu=h100-sxm --set cluster.gpus_per_node=8 --format json "$@" "$file" |
		jq -r --arg what "$what" '[.files[].findings[] | select(.rule == "does-not-fit") | .fix] |
			"\($what): \(if length == 0 then "it fits" else .[0].description // "nothing" end) \([.[0].edits[]?.text])"'
}
axolotl() {
	cat >"$d/axolotl.yaml" <<YAML
base_model: meta-llama/Llama-3.1-8B
fsdp_version: 2
fsdp_config: {reshard_after_forward: true, transformer_layer_cls_to_wrap: LlamaDecoderLayer, auto_wrap_policy: TRANSFORMER_BASED_WRAP}
bf16: true
micro_batch_size: $1
gradient_accumulation_steps: 4
gradient_checkpointing: true
sequence_len: $2
sample_packing: true
$3
YAML
}
while read -r micro length; do
	axolotl "$micro" "$length"
	fit "axolotl, $micro of $length" "$d/axolotl.yaml"
done <<'SIZES'
1 28672
2 15360
2 20480
SIZES
axolotl 1 28672 'accelerator_config: {gradient_accumulation_kwargs: {sync_each_batch: false}}'
fit 'axolotl that says no' "$d/axolotl.yaml"
fit 'axolotl 0.14' "$d/axolotl.yaml" --framework axolotl@0.14.0
fit 'axolotl 0.12, which waits for nothing' "$d/axolotl.yaml" --framework axolotl@0.12.0
cat >"$d/automodel.yaml" <<'YAML'
model: {pretrained_model_name_or_path: meta-llama/Llama-3.1-8B}
distributed: {strategy: fsdp2, dp_size: none, tp_size: 1, cp_size: 1, defer_fsdp_grad_sync: true, mp_policy: {reduce_dtype: float32}}
step_scheduler: {global_batch_size: 32, local_batch_size: 1}
dataset: {_target_: nemo_automodel.components.datasets.llm.mock.build_unpacked_dataset, seq_length: 16384}
YAML
for length in 8192 12288 16384; do
	fit "NeMo Automodel, $length" "$d/automodel.yaml" --set training.seq_len=$length
done
