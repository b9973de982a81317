# Components that no version of torchtune has, and keys of its recipes that lack a letter.
T=$(mktemp -d) && cd "$T" || exit 2
with() {
	printf '%b' "model:\n  _component_: ${model:-torchtune.models.llama3_1.llama3_1_8b}\ncheckpointer:\n  _component_: torchtune.training.FullModelHFCheckpointer\nbatch_size: 2\n$1\n" >config.yaml
	printf '%s -> ' "${model:-$1}"
	parplan check --world 8 --format json config.yaml | jq -r '[.files[].findings[] | .severity + ": " + .message + (if .fix then " (" + .fix.description + ")" else "" end)] | if . == [] then "nothing" else join("; ") end'
}
for model in torchtune.models.llama3.llama3_80b torchtune.models.llaa3.llama3_8b torchtune.model.llama3.llama3_8b torchtune.models.llama3.mine torchtune.models.llama3._model_builders.mine torchtune.dev.grpo.gsm8k.gsm8k_dataset my.models.llama3_80b torchtune.models.llama3.llama3_8b; do
	with ''
done
model=
for said in 'optimizer: {_component_: torch.optim.AdamWW, lr: 1e-4}' 'optimizer: {_component_: torch.opim.AdamW, lr: 1e-4}' 'optimizer: {_component_: torch.optim.adamw.AdamW, lr: 1e-4}' 'optimizer: {_component_: torch.optim., lr: 1e-4}' 'optimizer: {_componnt_: torch.optim.AdamW, lr: 1e-4}' 'optimizer: {_component_: bitsandbytes.optim.PagedAdamW8bit, lr: 1e-4}' 'optimizer: {_component_: torch.optim.AdamW, lr: 1e-4}' 'tokenizer: {_component_: "torchtune.models.llama3.llama3_tokenzer", path: /tmp/t}' 'outpt_dir: /tmp/o' 'fsdp_cpuoffload: true' 'optimizer: {_component_: torch.optim.AdamW, weight_deca: 0.1}' 'tokenizer: {_component_: torchtune.models.llama3.llama3_tokenizer, path: /tmp/t, max_sq_len: 1024}' 'mine: 1' 'lr_scheduler: {_component_: torchtune.training.lr_schedulers.get_cosine_schedule_with_warmup, num_warmup_steps: 100}'; do
	with "$said"
done
model=torchtune.models.llama3.llama3_80b with '' >/dev/null
parplan check --world 8 config.yaml | head -12
model= with "" >/dev/null
for release in v0.3.0 v0.5.0; do parplan check -q --world 8 --framework torchtune@$release --set model._component_=torchtune.models.gemma2.gemma2_9b config.yaml; done
parplan check --world 8 --framework torchtune@v0.6.1 --set optimizer._component_=torch.optim.Later --format json config.yaml | jq -r '.files[].findings[] | .severity + ": " + .message' # PyTorch's release is another
