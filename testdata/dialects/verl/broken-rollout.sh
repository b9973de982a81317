# 12 ranks, and a rollout that wants 8 of them at a time.
python3 -m verl.trainer.main_ppo \
    data.train_batch_size=1200 \
    actor_rollout_ref.actor.strategy=fsdp \
    actor_rollout_ref.actor.ppo_mini_batch_size=240 \
    actor_rollout_ref.rollout.tensor_model_parallel_size=8 \
    trainer.n_gpus_per_node=6 trainer.nnodes=2
