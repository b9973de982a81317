#!/bin/bash
tune run --nnodes 2 --nproc_per_node 8 full_finetune_distributed --config torchtune.yaml tensor_parallel_dim=4 batch_size=3
