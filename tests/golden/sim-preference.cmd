# What is trained for, by each framework's own words, of llama3-8b on eight H100: where the reference is (8.03e9 elements in 2 bytes: 14.96 GiB whole, 1.87 of each of eight), tokens of both answers, what has no forecast.
d=$(mktemp -d)
ask() { echo "== $1: $3"; printf "$2$3\n" >"$d/x$4"; parplan sim --world 8 --set cluster.gpu=h100-sxm $5 "$d/x$4" 2>&1 | grep -E '^  (time|reference|gathered|loss, rec|device)|open:|parplan:'; parplan convert --to native --world 8 $5 "$d/x$4" 2>/dev/null | grep -E '^ +(objective|held|dtype|precomputed|kind):'; }
ax='base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\ngradient_checkpointing: true\nbf16: true\nfsdp_version: 2\nfsdp_config: {reshard_after_forward: true}\n'
for rl in dpo kto orpo simpo grpo; do ask axolotl "$ax" "rl: $rl" .yaml; done
ask axolotl "$ax" 'rl: dpo\nprecompute_ref_log_probs: true' .yaml
ask axolotl "$ax" 'rl: dpo\ndpo_use_liger_kernel: true' .yaml
ask axolotl "$ax" 'reward_model: true' .yaml
ask axolotl "$(printf %s "$ax" | sed 's/fsdp.*//')" 'rl: dpo\ndeepspeed: deepspeed_configs/zero2.json' .yaml
ask axolotl "$(printf %s "$ax" | sed 's/fsdp.*//')" 'rl: dpo\ndeepspeed: deepspeed_configs/zero3_bf16.json' .yaml
ask axolotl "$ax" 'rl: dpo\nadapter: lora' .yaml
ask 'axolotl, at another stage than the file says' "$(printf %s "$ax" | sed 's/fsdp.*//')" 'rl: dpo\ndeepspeed: deepspeed_configs/zero2.json' .yaml '--set parallelism.zero_stage=3'
lf='model_name_or_path: meta-llama/Llama-3.1-8B\ntemplate: llama3\nfinetuning_type: full\ncutoff_len: 4096\nper_device_train_batch_size: 1\nbf16: true\ndeepspeed: examples/deepspeed/ds_z3_config.json\n'
ask llama-factory "$lf" 'stage: dpo' .yaml
ask llama-factory "$lf" 'stage: dpo\npref_loss: orpo' .yaml
ask llama-factory "$lf" 'stage: rm' .yaml
ask llama-factory "$lf" 'stage: ppo' .yaml
ask llama-factory "$lf" 'stage: kto\nref_model: meta-llama/Llama-3.1-70B' .yaml
trl='accelerate launch --num_processes 8 --use_fsdp --fsdp_version 2 --fsdp_reshard_after_forward true --mixed_precision bf16 -m trl.scripts.'
flags='--model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 1 --max_length 4096 --bf16'
ask trl '' "${trl}dpo $flags" .sh
ask trl '' "${trl}dpo $flags --precompute_ref_log_probs true" .sh
ask trl '' "${trl}dpo $flags --dtype bfloat16" .sh '--framework trl@0.15.0'
ask trl '' "${trl}kto $(echo $flags | sed "s/size 1/size 2/")" .sh
ask trl '' "trl dpo --accelerate_config zero2 $flags" .sh
ask trl '' "trl dpo --accelerate_config fsdp2 $flags" .sh
ask trl '' "${trl}reward $flags" .sh
ask trl "model_name_or_path: meta-llama/Llama-3.1-8B\nper_device_train_batch_size: 1\nmax_length: 4096\nbf16: true\nfsdp: full_shard\n" 'beta: 0.1' .yaml
ask 'a script of its own' '' "torchrun --nproc_per_node 8 run_dpo.py $flags --output_dir x" .sh
swift='model: meta-llama/Llama-3.1-8B\nmax_length: 4096\nper_device_train_batch_size: 1\nfsdp: fsdp2\ntuner_type: full\n'
ask ms-swift "$swift" 'rlhf_type: dpo' .yaml
ask ms-swift "$swift" 'rlhf_type: simpo' .yaml
ask ms-swift '' 'NPROC_PER_NODE=8 megatron rlhf --model meta-llama/Llama-3.1-8B --tuner_type full --max_length 4096 --tensor_model_parallel_size 2' .sh
tune='# tune run --nproc_per_node 8 RECIPE\nmodel: {_component_: torchtune.models.llama3_1.llama3_1_8b}\ntokenizer: {max_seq_len: 4096}\nbatch_size: 1\ndtype: bf16\nenable_activation_checkpointing: true\n'
for recipe in full_dpo_distributed knowledge_distillation_distributed; do ask torchtune '' "$(printf %s "$tune" | sed "s/RECIPE/$recipe/")" .yaml; done
open='deepspeed --num_gpus 8 --module openrlhf.cli.'
rlhf='--pretrain meta-llama/Llama-3.1-8B --max_len 4096 --micro_train_batch_size 1 --train_batch_size 8 --bf16 --gradient_checkpointing'
ask openrlhf '' "${open}train_dpo $rlhf" .sh '--set model.preset=llama3-8b'
ask openrlhf '' "${open}train_dpo $rlhf --zero_stage 3 --ref_offload" .sh '--set model.preset=llama3-8b'
ask openrlhf '' "${open}train_dpo $rlhf --ref_pretrain meta-llama/Llama-3.1-70B" .sh '--set model.preset=llama3-8b'
ask openrlhf '' "${open}train_rm $rlhf --zero_stage 3" .sh '--set model.preset=llama3-8b'
nemo='cluster: {num_nodes: 1, gpus_per_node: 8}\npolicy: {model_name: meta-llama/Llama-3.1-8B, train_global_batch_size: 8, train_micro_batch_size: 1, max_total_sequence_length: 4096, precision: bfloat16, dtensor_cfg: {enabled: true, activation_checkpointing: true}}\n'
ask nemo-rl "$nemo" 'dpo: {max_num_epochs: 1}' .yaml '--set model.preset=llama3-8b' 
ask nemo-rl "$nemo" 'rm: {max_num_epochs: 1}' .yaml '--set model.preset=llama3-8b' 
tulu='model_name_or_path: allenai/Llama-3.1-Tulu-3-8B-SFT\nmax_seq_length: 2048\nper_device_train_batch_size: 1\ndataset_mixer_list: [d, 1.0]\ndeepspeed_stage: 3\n'
ask open-instruct "$tulu" 'dpo_loss_type: dpo_norm' .yaml
rm -r "$d"
