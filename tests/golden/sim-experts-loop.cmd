# Experts of transformers' blocks: a loop before version 5, whose weights ZeRO-3 gathers one by one unless blocks are leaf modules; 128 experts in 48 blocks.
d=$(mktemp -d)
ask() {
	printf '%s\n' "$1"
	parplan sim --world 16 --gpu a800-80g --set training.seq_len=8192 --format json $3 "$d/$2" |
		jq -c '[.step_time_s, ([.collectives[] | select(.what == "some experts of a block") | .count] | add)]'
}
printf 'NPROC_PER_NODE=8 NNODES=2 swift sft --model Qwen/Qwen3-30B-A3B-Base --tuner_type full --torch_dtype bfloat16 --per_device_train_batch_size 1 --packing true --max_length 8192 --attn_impl flash_attn --deepspeed zero3 $EXPERTS\n' >"$d/swift.sh"
sed 's/$EXPERTS/--experts_impl eager/' "$d/swift.sh" >"$d/eager.sh"
sed 's/zero3/zero2/' "$d/swift.sh" >"$d/zero2.sh"
ask 'weight by weight' swift.sh '--framework ms-swift@2025-06-19 --framework deepspeed@0.17.1'
ask 'leaf modules of ms-swift' swift.sh '--framework ms-swift@2025-11-19'
ask 'no ZeRO-3' zero2.sh '--framework ms-swift@2025-06-19'
ask 'transformers 5' swift.sh '--framework ms-swift@2026-06-01'
ask 'the loop of transformers 5' eager.sh '--framework ms-swift@2026-06-01'
printf 'deepspeed --num_gpus 8 --module openrlhf.cli.train_sft --pretrain Qwen/Qwen3-30B-A3B --max_len 8192 --micro_train_batch_size 1 --train_batch_size 16 --param_dtype bf16 --zero_stage 3\n' >"$d/open.sh"
ask 'OpenRLHF' open.sh '--framework openrlhf@2025-06-01 --framework deepspeed@0.17.1'
ask 'transformers 5' open.sh '--framework openrlhf@2026-08-01'
axolotl='base_model: Qwen/Qwen3-30B-A3B\nsequence_len: 8192\nmicro_batch_size: 1\ngradient_accumulation_steps: 1\nbf16: true\nfsdp_version: 2\nfsdp_config: {reshard_after_forward: true}\ngradient_checkpointing: true\n'
printf "$axolotl" >"$d/loop.yaml"
printf "${axolotl}experts_implementation: eager\n" >"$d/eager.yaml"
printf "${axolotl}use_scattermoe: true\nexperts_implementation: scattermoe\n" >"$d/scatter.yaml"
ask 'axolotl and FSDP' loop.yaml '--framework axolotl@0.12.0'
ask 'its kernels' scatter.yaml '--framework axolotl@0.12.0'
ask 'transformers 5' loop.yaml
ask 'its loop' eager.yaml
accelerate='compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 16\nnum_machines: 2\n'
leaf() { printf "${accelerate}deepspeed_config: {zero_stage: 3$2}\n" >"$d/$1"; }
leaf none.yaml ''
leaf named.yaml ', deepspeed_moe_layer_cls_names: Qwen3MoeSparseMoeBlock'
for file in none named; do
	ask "accelerate, leaf modules: $file" $file.yaml '--framework accelerate@2025-09-01 --framework deepspeed@0.17.1 --set model.preset=qwen3-30b-a3b --set training.micro_batch_size=1'
done
rm -r "$d"
