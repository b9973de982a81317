cd "$(mktemp -d)" || exit
printf '%s\n' 'max_step = 2' '[deployment]' 'type = "multi_node"' 'num_tran_nodes = 2' '[trainer.model]' 'seq_lne = 3' 'fsdp_cpu_offload = "yess"' '[orchestrator]' 'batch_size = 2' >rl.toml
printf '%s\n' 'max_steps = 2' '[model]' 'name = "a/b"' 'seq_len = 3' '[data]' 'batch_size = 2' '[deployment]' 'num_train_gpu = 2' >sft.toml
parplan check rl.toml sft.toml
