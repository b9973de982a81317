FORCE_TORCHRUN=1 NNODES=2 NPROC_PER_NODE=4 llamafactory-cli train llama.yaml per_device_train_batch_size=4
