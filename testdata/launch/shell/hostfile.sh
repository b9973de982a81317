deepspeed --hostfile hosts --num_gpus=8 --num_nodes=2 finetune.py --deepspeed_config ds.json
