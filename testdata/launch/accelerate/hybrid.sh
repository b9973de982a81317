accelerate launch --use_fsdp --fsdp_sharding_strategy=HYBRID_SHARD --num_machines 2 --num_processes 8 -m lab.train
