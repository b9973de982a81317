accelerate launch --use_deepspeed --zero_stage=3 --num_machines 2 --num_processes 8 train.py
