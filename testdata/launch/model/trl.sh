#!/bin/bash
accelerate launch --num_processes 8 -m trl.scripts.sft --model_name_or_path ./here --dataset_name x --output_dir out
