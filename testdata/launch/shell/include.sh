deepspeed --include localhost:0,1,2,3 --master_port 2000 train.py --deepspeed zero3.json --per_device_train_batch_size 2
