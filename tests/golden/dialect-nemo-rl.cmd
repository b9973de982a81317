for f in testdata/dialects/nemo-rl/*.yaml; do echo "== $f"; parplan plan $f; parplan check $f; done 2>&1
parplan check --world 6 --set policy.megatron_cfg.expert_model_parallel_size=1 testdata/dialects/nemo-rl/grpo-megatron.yaml
parplan check --world 2 --set policy.megatron_cfg.expert_model_parallel_size=1 testdata/dialects/nemo-rl/grpo-megatron.yaml
parplan check --set policy.megatron_cfg.enabled=true testdata/dialects/nemo-rl/grpo-base.yaml
parplan check --set policy.dtensor_cfg.enabled=false testdata/dialects/nemo-rl/grpo-base.yaml
parplan check --world 3 --set policy.dtensor_cfg.tensor_parallel_size=1 testdata/dialects/nemo-rl/grpo-base.yaml
parplan check --world 6 --set policy.dtensor_cfg._v2=true --set policy.dtensor_cfg.tensor_parallel_size=1 --set policy.dtensor_cfg.expert_parallel_size=4 testdata/dialects/nemo-rl/grpo-base.yaml
# Replicas are Automodel's affair, which DTensor's second worker hands them to; machines of teachers and of a reward model train nothing.
for asked in policy.dtensor_cfg.dp_replicate_size=3 policy.dtensor_cfg.dp_replicate_size=16 policy.dtensor_cfg._v2=false data.default.env_name=reward_model on_policy_distillation.enabled=false on_policy_distillation.deduplicate_shared_teacher_checkpoints=false cluster.num_nodes=5; do
	echo "== $asked"
	parplan check --set $asked testdata/dialects/nemo-rl/teachers.yaml | grep -e 'world [0-9]' -A1 -e 'stops with'
done 2>&1
for asked in training.objective=ppo training.objective=sft 'policy.hf_config_overrides={num_hidden_layers: 2}'; do
	parplan sim --gpu h100-sxm --format json --set "$asked" testdata/dialects/nemo-rl/ppo-lora.yaml | jq -c .step_time_s
done 2>&1
parplan sim --gpu h100-sxm --set training.objective=sft --set policy.megatron_cfg.peft.enabled=false testdata/dialects/nemo-rl/ppo-lora.yaml | grep -c time
