#!/bin/bash
torchrun --nproc_per_node 8 own/train.py --model resnet50 --model_path weights.pt
