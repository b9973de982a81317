#!/bin/bash
python3 -m openrlhf.cli.train_ppo_ray --actor.num_nodes 1 --actor.num_gpus_per_node 8 --actor.model_name_or_path ./here --ds.zero_stage 3
