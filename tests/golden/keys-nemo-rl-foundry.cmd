cd "$(mktemp -d)" || exit
printf '%s\n' 'policy:' '  model_name: m/n' '  train_global_batch_size: 16' '  train_micro_batch_size: 1' '  max_total_sequence_lenght: 512' '  dtensor_cfg: {enabled: true, tensor_parallel_size: 2, expert_paralel_size: 2}' '  megatron_cfg: {enabled: fals}' '  dynamic_batching: {enabled: yess}' 'cluster: {num_nodes: 1, gpus_per_node: 8}' 'grpo: {own: 1}' >rl.yaml
printf '%s\n' 'max_seq_len: 64' 'model: {name: mpt_causal_lm, d_model: 64, n_hads: 4, n_layers: 2, vocab_size: 100, own: 1}' 'train_loader: {}' 'fsdp_config: {}' 'global_train_batch_size: 8' >foundry.yaml
parplan check rl.yaml foundry.yaml
