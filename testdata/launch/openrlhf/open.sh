deepspeed --num_gpus 8 --module openrlhf.cli.train_dpo --zero_stage $STAGE
