cd "$(mktemp -d)" || exit
printf '%s\n' 'python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.use_dynmic_bsz=True data.gen_batch_size=8 +data.shufle_seed=1 trainer.n_gpus_per_node=8 trainer.nnodes=1' >verl.sh
printf '%s\n' 'compute_environment: LOCAL_MACHINE' 'distributed_type: MULTI_GPU' 'num_machines: 0' 'num_processes: 0' 'machine_rank: 3' >none.yaml
printf '%s\n' 'compute_environment: LOCAL_MACHINE' 'distributed_type: FSDP' 'num_machines: 2' 'num_processes: 16' 'machine_rank: 2' >rank.yaml
printf '%s\n' 'compute_environment: LOCAL_MACHINE' "distributed_type: 'NO'" 'num_machines: 1' 'num_processes: 0' 'machine_rank: 3' >clean.yaml
parplan check verl.sh none.yaml rank.yaml clean.yaml
