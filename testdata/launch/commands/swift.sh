NPROC_PER_NODE=4 swift rlhf --rlhf_type grpo --model m --external_plugins reward.py --deepspeed zero2
