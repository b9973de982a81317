#!/bin/bash
torchrun --nproc_per_node 8 src/train.py --stage sft --do_train --model_name_or_path ./here --dataset alpaca --template llama3 --finetuning_type full --output_dir out
