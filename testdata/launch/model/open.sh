#!/bin/bash
torchrun --nproc_per_node 8 run_clm.py --model_name_or_path "$MODEL" --do_train --output_dir out
