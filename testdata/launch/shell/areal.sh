ray job submit -- python3 -m areal.launcher.ray examples/grpo.py --config examples/grpo.yaml cluster.n_nodes=4 allocation_mode=sglang.d16p1t1+fsdp:d16p1t1
