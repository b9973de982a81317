ray job submit --address=http://head:8265 -- python3 -m openrlhf.cli.train_ppo_ray --actor.num_nodes 2 --actor.num_gpus_per_node 4 --ds.zero_stage 3
