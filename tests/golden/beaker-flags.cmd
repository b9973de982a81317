# The script's flags in a Beaker spec of open-instruct are read as a Trainer's: recomputation, kernels and adapters, too.
d=$(mktemp -d)
cd "$d" || exit
for more in '' ' --use_lora --lora_rank 64'; do
	cat >spec.yaml <<EOF
version: v2
tasks:
  - name: finetune
    replicas: 1
    arguments: ['accelerate launch --mixed_precision bf16 --num_machines 1 --num_processes 8 --use_deepspeed --deepspeed_config_file configs/stage3_no_offloading_accelerate.conf open_instruct/finetune.py --model_name_or_path meta-llama/Meta-Llama-3-8B --gradient_checkpointing --max_seq_length 4096 --per_device_train_batch_size 2 --gradient_accumulation_steps 8$more']
    resources: { gpuCount: 8 }
EOF
	parplan explain spec.yaml | grep -E '^(world|training|parallelism\.zero|model\.preset)' | grep -v ', default$'
	parplan sim --gpu h100-sxm spec.yaml 2>&1 | grep -E '  (time|device) |^parplan'
done
cd / && rm -r "$d"
