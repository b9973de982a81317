#!/bin/bash
accelerate launch --config_file accelerate.yaml --num_processes 32 --num_machines 4 train.py --lr 1e-4
