#!/bin/bash
torchrun --nproc_per_node 8 -m verl.trainer.fsdp_sft_trainer model.partial_pretrain=./here data.train_batch_size=64
