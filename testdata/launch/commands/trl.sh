trl sft --model_name_or_path m --dataset_name d --accelerate_config zero3 --num_processes 4 --output_dir out
