read -r -d '' command <<EOF
openrlhf.cli.train_sft --zero_stage 3 --micro_train_batch_size 2 --train_batch_size 64
EOF
deepspeed --num_gpus 8 --module $command
