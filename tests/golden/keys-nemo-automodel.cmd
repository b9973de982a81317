# What Automodel's classes refuse in the sections of a recipe, by the strategy.
cd "$(mktemp -d)" || exit
with() {
	printf '%s\n' "distributed: {tp_size: 1$1}" "step_scheduler: {global_batch_size: 8, local_batch_size: 1$2}" 'model: {pretrained_model_name_or_path: meta-llama/Llama-3.2-1B}' "$3" >recipe.yaml
	printf '%s -> ' "$1$2$3"
	parplan check --world 8 --format json recipe.yaml | jq -r '[.files[].findings[] | .severity + ": " + .message + (if .quote then " [" + .quote + "]" else "" end) + (if .fix then " (" + .fix.description + ")" else "" end)] | if . == [] then "nothing" else join("; ") end'
}
with ', strategy: fsdp2, defer_fsdp_grad_snc: true'
with ', strategy: fsdp2, zero_dp_strategy: 3'
with ', strategy: megatron_fsdp, zero_dp_strategy: 3'
with ', strategy: ddp, static_graf: true'
with ', strategy: fsdp2, mine: 1'
with ', _target_: nemo_automodel.components.distributed.fsdp2.FSDP2Manager, dp_sizes: 8'
with ', _target_: my.Manager, dp_grad_snc: 8'
with ', pp_size: 2, pipeline: {pp_scheduel: 1f1b}'
with ', pipeline: {pp_scheduel: 1f1b}'
with ', ep_size: 2, moe: {reshard_after_forwards: true}'
with '' ', max_step: 10'
with '' ', ckpt_every_step: 10, num_epochs: 1, val_every_steps: 10'
with '' '' 'checkpoint: {enabled: true, checkpoint_dirs: c/}'
with '' '' 'checkpoint: {enabled: true, checkpoint_dir: c/, restore_from: c/1, save_consolidated: true}'
with '' '' 'lr_scheduler: {lr_decay_styles: cosine, min_lr: 1e-5}'
with '' '' 'peft: {_target_: nemo_automodel.components._peft.lora.PeftConfig, dims: 8, alpha: 32}'
with '' '' 'peft: {_target_: my.PeftConfig, dims: 8}'
