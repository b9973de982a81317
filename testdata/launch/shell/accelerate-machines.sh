accelerate launch --multi_gpu --num_machines 2 --num_processes=16 --mixed_precision bf16 train.py --foo
