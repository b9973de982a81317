# Paths into Automodel that no version has, or not the release that is pinned; other code's are left alone.
cd "$(mktemp -d)" || exit
with() {
	printf '%s\n' 'distributed: {strategy: fsdp2, dp_size: 8}' 'step_scheduler: {global_batch_size: 8, local_batch_size: 1}' "model: {pretrained_model_name_or_path: meta-llama/Llama-3.2-1B, _target_: $1}" "dataloader: {collate_fn: ${3:-torch.utils.data.default_collate}}" >recipe.yaml
	printf '%s -> ' "$1 $2 $3"
	parplan check --world 8 ${2:+--framework "nemo-automodel@$2"} --format json recipe.yaml | jq -r '[.files[].findings[] | .severity + ": " + .message + (if .quote then " [" + .quote + "]" else "" end) + (if .fix then " (" + .fix.description + ")" else "" end)] | if . == [] then "nothing" else join("; ") end'
}
n=nemo_automodel
with $n.NeMoAutoModelForCausalLM.from_pretrained
with $n.NeMoAutoModelForCasualLM.from_pretrained
with $n.NeMoAutoModelForCausalLM.from_pretrainned
with $n.components.loss.MaskedCrossEntropy
with $n.components.los.masked_ce.MaskedCrossEntropy
with $n.components.models.deepseek_v5.config.DeepseekV5Config
with $n.components.mine.Thing
with $n.NeMoAutoModelForSeq2SeqLM.from_config v0.3.0
with $n.NeMoAutoModelForSeq2SeqLM.from_config main
with $n.components._transformers.auto_model.NeMoAutoModelForCausalLM v0.1.0
with $n.components._transformers.auto_model.NeMoAutoModelForCausalLM v0.5.0
with $n.components.distributed.nvfsdp.NVFSDPManager v0.3.0
with $n.models.gpt2.build_gpt2_model 0.5.0
with transformers.AutoModelForCasualLM.from_pretrained
with my.$n.Thing '' $n.components.datasets.utils.default_colater
with "'$n.components.moe.layers._mine'" '' $n.components.datasets.utils.default_collater
printf 'dataset: {_target_: my.data, column_mapping: {source: question, target: answer}, targets: my.other}\n' >>recipe.yaml
sed -i 's/, _target_/, _tagret_/' recipe.yaml
parplan check --world 8 recipe.yaml | grep misspelt-key
