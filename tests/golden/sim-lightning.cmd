# What strategies and precision hold of llama3-8b's 8.03e9 parameters over 8 ranks, 1.87 GiB for each 2 bytes: true 2/2/4, mixed 4/4/8, offloaded in host memory; blocks that are checkpointed keep 1 GiB.
model="--set model.preset=llama3-8b --set cluster.gpu=h100-sxm --set training.seq_len=4096 --set training.micro_batch_size=1"
hold() { echo "== $1"; parplan sim $model $2 | grep -E '^  (parameters|gradients|optimizer state|gathered units|activations|in host)'; }
of() { printf 'seed_everything: 1\ntrainer:\n  devices: 8\n  num_nodes: 1\n  precision: %s\n  strategy: %s\nmodel: {class_path: my.Model}\n' "$1" "$2" >"$d/lightning.yaml"; hold "$1 $2" "$d/lightning.yaml"; }
d=$(mktemp -d)
of bf16-true fsdp
of bf16-mixed fsdp
of bf16-mixed '{class_path: lightning.pytorch.strategies.FSDPStrategy, init_args: {sharding_strategy: SHARD_GRAD_OP, activation_checkpointing_policy: [my.Block]}}'
of bf16-mixed fsdp_cpu_offload
of bf16-true deepspeed_stage_3
of bf16-mixed deepspeed_stage_2_offload
of bf16-mixed deepspeed_stage_3_offload
printf 'checkpoint_dir: m\nprecision: bf16-true\ndevices: 8\nnum_nodes: 1\ntrain: {global_batch_size: 64, micro_batch_size: 1}\n' >"$d/full.yaml"
hold "litgpt finetune_full" "$d/full.yaml"
sed -i s/checkpoint_dir/model_name/ "$d/full.yaml"
hold "litgpt pretrain" "$d/full.yaml"
rm -r "$d"
