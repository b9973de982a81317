#!/bin/bash
torchrun --nproc_per_node 8 own/train.py --model-path=here/ --seq-len 2048
