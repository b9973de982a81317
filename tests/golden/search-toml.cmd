parplan search plans/torchtitan-llama3-8b.toml --world 16 --set cluster.gpu=h100-sxm --set cluster.gpus_per_node=8 --fix pp=1 --fix cp=1 --top 2
