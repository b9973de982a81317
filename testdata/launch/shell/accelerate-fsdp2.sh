accelerate launch --num_processes 8 --use_fsdp --fsdp_version 2 --fsdp_reshard_after_forward true --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP train.py
