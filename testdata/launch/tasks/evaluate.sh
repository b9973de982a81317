accelerate launch --num_processes 4 --multi_gpu -m lm_eval --model hf --tasks t
