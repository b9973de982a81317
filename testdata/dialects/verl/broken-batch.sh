# 7 samples of 100 prompts on 16 ranks, and the ranks of Megatron's axes do not fit either
python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer \
    data.train_batch_size=100 \
    actor_rollout_ref.rollout.n=7 \
    actor_rollout_ref.actor.ppo_mini_batch_size=50 \
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=3 \
    actor_rollout_ref.actor.megatron.tensor_model_parallel_size=${TP:-2} \
    trainer.n_gpus_per_node=8 trainer.nnodes=2
