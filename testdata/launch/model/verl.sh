#!/bin/bash
python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=./here trainer.n_gpus_per_node=8 trainer.nnodes=1 actor_rollout_ref.actor.strategy=fsdp data.train_batch_size=64
