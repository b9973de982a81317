parplan explain testdata/project/own.yaml cluster.gpus_per_node; parplan explain --world 32 testdata/project/train.toml cluster.gpus_per_node cluster.gpu
