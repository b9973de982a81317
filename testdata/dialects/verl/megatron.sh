#!/usr/bin/env bash
# After examples/grpo_trainer/run_qwen3-235b_megatron_96gb.sh of verl@b178a3cd, in small.
set -xeuo pipefail
NNODES=${NNODES:-4}
MODEL_PATH=${HOME}/models/Qwen3-30B-A3B
train_tp=${TP:-4}
train_pp=${PP:-2}
EP=${EP:-4}
n_resp=8
OFFLOAD=(
    actor_rollout_ref.actor.megatron.param_offload=True
    actor_rollout_ref.actor.megatron.optimizer_offload=True # both
)
python3 -m verl.trainer.main_ppo \
    --config-path=config \
    --config-name='ppo_megatron_trainer.yaml' \
    data.train_batch_size=32 \
    actor_rollout_ref.rollout.n=${n_resp} \
    actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.tensor_model_parallel_size=8 \
    actor_rollout_ref.actor.ppo_mini_batch_size=16 \
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 \
    actor_rollout_ref.actor.megatron.tensor_model_parallel_size=${train_tp} \
    actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=${train_pp} \
    actor_rollout_ref.actor.megatron.expert_model_parallel_size=$EP \
    actor_rollout_ref.actor.megatron.expert_tensor_parallel_size=1 \
    "${OFFLOAD[@]}" \
    actor_rollout_ref.model.path="${MODEL_PATH}" \
    trainer.n_gpus_per_node=8 \
    trainer.nnodes="${NNODES}" $@
