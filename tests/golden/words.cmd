# Names of a trainer's own that it refuses: a letter or two off, and what is meant.
d=$(mktemp -d)
cd $d
yaml() {
	printf '%b' "$2" >$1.yaml
	parplan check --ignore sharing-unknown --world 8 $1.yaml | tr '\n' ' ' | tr -s ' ' | grep -oE "$1.yaml:[0-9:]+ (error|note): [^[]*.(bad-word|out-of-range|strategy-refused).|did you mean [^?]*|no findings" | tr '\n' ' '
	echo
}
flags() {
	echo "$*" >run.sh
	parplan check --ignore sharing-unknown run.sh | tr '\n' ' ' | tr -s ' ' | grep -oE "(error|note): [^[]*.(bad-word|out-of-range|strategy-refused).|did you mean [^?]*|no findings" | tr '\n' ' '
	echo
}
kinds() {
	printf '%b' "$2" >$1.yaml
	parplan check --world 8 --format json $1.yaml | jq -r '[.files[].findings[] | select(.rule == ("wrong-type", "out-of-range", "bad-word", "misspelt-key", "strategy-refused")) | .severity + ": " + .message] | if . == [] then "nothing" else join("; ") end'
}
for said in 'fsdp_sharding_strategy: FULL_SHRD' 'fsdp_sharding_strategy: full_shard' 'fsdp_auto_wrap_policy: TRANSFORMER_BASE_WRAP' 'fsdp_state_dict_type: SHARDED'; do
	yaml accelerate "distributed_type: FSDP\nnum_processes: 8\nmixed_precision: bf16\nfsdp_config:\n  fsdp_version: 1\n  $said\n"
done
yaml accelerate 'distributed_type: FSPD\nnum_processes: 8\n'
lf='model_name_or_path: Qwen/Qwen3-4B\ntemplate: qwen3\nper_device_train_batch_size: 1\nbf16: true\n'
for said in 'stage: dop' 'stage: kto' 'finetuning_type: loar' 'stage: dpo\npref_loss: sigmoyd' 'flash_attn: fa4' 'optim: adamw_torhc' 'lr_scheduler_type: cosin' 'quantization_method: bnbb' 'stage: null'; do
	yaml llama_factory "$lf$said\n"
done
ax='base_model: Qwen/Qwen3-4B\nsequence_len: 2048\nmicro_batch_size: 2\n'
for said in 'rl: dop' 'adapter: loar' 'adapter: mine' 'optimizer: adamw_torhc' 'optimizer: came_pytorch' 'lr_scheduler: cosin' 'fsdp: [full_shard]\nfsdp_config: {fsdp_version: 2}\ndeepspeed: deepspeed_configs/zero3.json' 'attn_implementation: flash_atention_2' 'attn_implementation: kernels-community/flash-attn2' 'fsdp_config: {fsdp_version: 2, auto_wrap_policy: TRANSFORMER_BASED}' 'fsdp_config: {fsdp_version: 2, state_dict_type: SHARDED}'; do
	yaml axolotl "$ax$said\n"
done
ou='model: {model_name: Qwen/Qwen3-4B, model_max_length: 2048}\n'
for said in 'training: {trainer_type: TRL_SFTT}' 'training: {trainer_type: TRL_GRPO}' 'training: {trainer_type: TRL_GOLD}' 'training: {}\nfsdp: {enable_fsdp: true, sharding_strategy: FULL_SHARDS}' 'training: {}\ndeepspeed: {enable_deepspeed: true, zero_stage: ZERO_4}'; do
	yaml oumi "$ou$said\n"
done
trl='model_name_or_path: Qwen/Qwen3-4B\nper_device_train_batch_size: 2\noutput_dir: o\n'
for said in 'loss_type: nlll' 'loss_type: sigmoid' 'loss_type: [hinge, sft]' 'eval_strategy: step' 'dtype: bfloat' 'num_generations: 8\nvllm_mode: colocated\nloss_type: drgrpo' 'per_device_train_batch_size: -2'; do
	yaml trl "$trl$said\n"
done
megatron='torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 8 --bf16'
for said in '--optimizer adamm' '--lr-decay-style cosin' '--transformer-impl transformerengine' '--normalization RMSnorm' '--ckpt-format torchdist' '--moe-router-load-balancing-type aux_loss seq_aux_los' '--optimizer mine'; do
	flags "$megatron $said"
done
for said in '--train_type loar' '--torch_dtype bfloat' '--padding_side lleft' '--optim adamw_torhc'; do
	flags "NPROC_PER_NODE=8 swift sft --model Qwen/Qwen3-4B --per_device_train_batch_size 1 --max_length 2048 $said"
done
flags 'NPROC_PER_NODE=8 swift rlhf --rlhf_type dop --model Qwen/Qwen3-4B --per_device_train_batch_size 1 --max_length 2048'
for said in actor_rollout_ref.actor.strategy=fsdp3 algorithm.adv_estimator=gprpo actor_rollout_ref.rollout.name=vlm; do
	flags "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-4B trainer.n_gpus_per_node=8 trainer.nnodes=1 data.train_batch_size=64 actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 $said"
done
# Kinds and numbers that a trainer cannot take, where no setting is made of them.
for said in 'learning_rate: fast' 'learning_rate: "1e-5"' 'finetuning_type: lora\nlora_rank: 0' 'finetuning_type: full\nlora_rank: 0' 'num_train_epochs: -1' 'num_train_epochs: -1\nmax_steps: 10'; do
	kinds llama_factory "$lf$said\n"
done
for said in 'fsdp: full_shard\nfsdp_config: [a]' 'deepspeed: [a]' 'use_peft: true\nlora_r: 0' 'num_train_epochs: x' 'per_device_train_batchsize: 4'; do
	kinds trl "$trl$said\n"
done
for said in 'datasets: {path: a, type: b}' 'plugins: a.B' 'fsdp_config: [a]' 'fsdp_config: []' 'learning_rate: fast' 'num_epochs: -1' 'adapter: lora\nlora_r: 0' 'deepspeed: null'; do
	kinds axolotl "$ax$said\n"
done
for said in 'num_processes: -2' 'num_processes: 8\nfsdp_config: [a]' 'num_processes: 8\nparallelism_config: [a]'; do
	kinds accelerate "distributed_type: FSDP\nmixed_precision: bf16\n$said\n"
done
for said in 'training: {learning_rate: fast}' 'training: {num_train_epochs: 0}' 'training: {num_train_epochs: 0, max_steps: 5}' 'training: {per_device_train_batch_size: 2, per_device_train_batchsize: 4}' 'training: {}\nfsdp: [true]' 'training: {}\nfsdp: {enable_fsdp: true}\ndeepspeed: {enable_deepspeed: true}'; do
	kinds oumi "$ou$said\n"
done
for said in Adamm AdamW adamw FusedAdam; do
	kinds deepspeed "train_batch_size: 8\nzero_optimization: {stage: 2}\nbf16: {enabled: true}\noptimizer: {type: $said}\n"
done
for said in '--algo.advantage.estimator grup_norm' '--algo.advantage.estimator dr_grpo' '--actor.optim adamm' '--algo.kl.estimator k2'; do
	flags "ray job submit -- python3 -m openrlhf.cli.train_ppo_ray --actor.model_name_or_path Qwen/Qwen3-4B --ds.zero_stage 3 --actor.num_nodes 1 --actor.num_gpus_per_node 8 --train.batch_size 64 --train.micro_batch_size 1 $said"
done
for said in 'adv_estimator: {name: gprpo}' 'adv_estimator: {name: gdpo}'; do
	kinds nemo_rl "grpo: {num_prompts_per_step: 8, num_generations_per_prompt: 8, $said}\npolicy: {model_name: Qwen/Qwen3-4B, train_global_batch_size: 64, train_micro_batch_size: 1, precision: bfloat16, max_total_sequence_length: 512, dtensor_cfg: {enabled: true, tensor_parallel_size: 1, context_parallel_size: 1}}\ncluster: {gpus_per_node: 8, num_nodes: 1}\n"
done
