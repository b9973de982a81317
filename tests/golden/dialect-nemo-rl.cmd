for f in testdata/dialects/nemo-rl/*.yaml; do echo "== $f"; parplan plan $f; parplan check $f; done 2>&1
parplan check --world 6 --set policy.megatron_cfg.expert_model_parallel_size=1 testdata/dialects/nemo-rl/grpo-megatron.yaml
parplan check --world 2 --set policy.megatron_cfg.expert_model_parallel_size=1 testdata/dialects/nemo-rl/grpo-megatron.yaml
parplan check --set policy.megatron_cfg.enabled=true testdata/dialects/nemo-rl/grpo-base.yaml
parplan check --set policy.dtensor_cfg.enabled=false testdata/dialects/nemo-rl/grpo-base.yaml
parplan check --world 3 --set policy.dtensor_cfg.tensor_parallel_size=1 testdata/dialects/nemo-rl/grpo-base.yaml
parplan check --world 6 --set policy.dtensor_cfg._v2=true --set policy.dtensor_cfg.tensor_parallel_size=1 --set policy.dtensor_cfg.expert_parallel_size=4 testdata/dialects/nemo-rl/grpo-base.yaml
