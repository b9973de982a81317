cd "$(mktemp -d)" || exit
printf '%s\n' 'general: {project: p, seed: 1, setp: 2}' 'parallelism: {dp: 2, pp: 1, tp: 2, tp_mod: ALL_REDUCE}' 'model:' '  model_config: {hidde_size: 2048, num_hidden_layers: 2}' 'optimizer:' '  clip_gard: 1.0' '  accumulate_grad_in_fp32: yess' '  optimizer_factory: {name: adamW, adam_beta: 0.9}' 'tokens: {sequence_length: 64, microbatch_size: 1, batch_accumulation_per_replica: 1}' >nanotron.yaml
printf '%s\n' 'general: {project: p, seed: 1}' 'doremi: {domains: 2}' 'parallelism: {dp: 2, pp: 1, tp: 2}' 'model: {model_config: {is_mamba_config: true, dtype: bfloat16, hidde_size: 1}}' 'tokens: {sequence_length: 64, micro_batch_size: 1, batch_accumulation_per_replica: 1}' >own.yaml
parplan check nanotron.yaml own.yaml
