# Numbers that no framework can take, one after the other; and beside them some that look alike, and can.
T=$(mktemp -d) && cd "$T" || exit 2
check() {
	printf '%s -> ' "$said"
	parplan check --world 8 --format json "$1" | jq -r '[.files[].findings[] | select(.rule == ("wrong-type", "out-of-range", "batch-triple", "batch-size", "framework-raises")) | .severity + ": " + .message + (if .actual then " (" + .actual + ")" else "" end)] | if . == [] then "nothing" else join("; ") end'
}
yaml() {
	for said in "$@"; do
		printf '%b' "$base$said\n" >config.yaml
		check config.yaml
	done
}
echo '- TRL'
base='model_name_or_path: Qwen/Qwen3-4B\ndataset_name: a/b\n'
yaml 'per_device_train_batch_size: -7' 'per_device_train_batch_size: 0' 'per_device_train_batch_size: 1' 'gradient_accumulation_steps: -7' 'max_steps: -7' 'max_steps: 0\nnum_train_epochs: 2' 'max_steps: -1' 'learning_rate: -1e-5' 'learning_rate: 0' 'warmup_ratio: 10' 'warmup_ratio: 0.1' 'warmup_steps: -1' 'weight_decay: -0.1' 'adam_beta2: 95' 'adam_beta2: 0.95'
echo '- axolotl'
base='base_model: Qwen/Qwen3-4B\nsequence_len: 2048\n'
yaml 'micro_batch_size: 1\ndp_shard_size: -7' 'micro_batch_size: 1\ndp_shard_size: -1' 'micro_batch_size: -2' 'micro_batch_size: 2\nbatch_size: -4' 'micro_batch_size: 2\nbatch_size: 4' 'micro_batch_size: 1\nmax_steps: -7' 'micro_batch_size: 1\nlearning_rate: -0.1' 'micro_batch_size: 1\nlearning_rate: 1e-4\nwarmup_ratio: 2'
echo '- oumi'
base='model: {model_name: Qwen/Qwen3-4B, model_max_length: 2048}\n'
yaml 'training: {per_device_train_batch_size: -2}' 'training: {learning_rate: -0.1, warmup_ratio: 3}' 'training: {dataloader_num_workers: auto}'
echo '- DeepSpeed: its own text'
base='zero_optimization: {stage: 2}\nbf16: {enabled: true}\n'
yaml 'train_micro_batch_size_per_gpu: -7' 'train_batch_size: 0' 'train_batch_size: 8\noptimizer: {type: AdamW, params: {lr: -1, betas: [0.9, 95]}}' 'train_batch_size: 8\noptimizer: {type: AdamW, params: {lr: auto, betas: [0.9, 0.95]}}'
echo '- torchtune'
base='model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\ncheckpointer:\n  _component_: torchtune.training.FullModelHFCheckpointer\n'
yaml 'batch_size: -2' 'batch_size: 2\noptimizer: {_component_: torch.optim.AdamW, lr: -2e-5, weight_decay: 0.1}' 'batch_size: 2\noptimizer: {_component_: torch.optim.AdamW, lr: fast}'
echo '- Automodel: Adafactor has two of them'
base='recipe: TrainFinetuneRecipeForNextTokenPrediction\nstep_scheduler: {global_batch_size: 64, local_batch_size: 1}\nmodel: {pretrained_model_name_or_path: Qwen/Qwen3-4B}\ndistributed: {strategy: fsdp2}\n'
yaml 'optimizer: {_target_: torch.optim.Adafactor, eps: [null, 1.0e-3]}' 'optimizer: {_target_: torch.optim.Adafactor, eps: [-1, much]}' 'optimizer: {_target_: torch.optim.AdamW, eps: -1}'
echo '- Lightning'
base='model: {class_path: my.Model}\n'
yaml 'trainer: {devices: 8, strategy: ddp, max_steps: -7}' 'trainer: {devices: 8, strategy: ddp, max_steps: -1}'
echo '- Megatron-LM'
for said in '--lr -1e-4' '--adam-beta2 95' '--global-batch-size -8' '--micro-batch-size 0' '--train-iters -5' '--lr 1e-4 --train-iters 10'; do
	echo "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --bf16 $said" >train.sh
	check train.sh
done
echo '- verl'
for said in data.max_prompt_length=0 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=-1 actor_rollout_ref.actor.optim.lr=-1e-6 actor_rollout_ref.actor.optim.lr=1e-6; do
	echo "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-4B trainer.n_gpus_per_node=8 trainer.nnodes=1 data.train_batch_size=64 actor_rollout_ref.actor.ppo_mini_batch_size=64 $said" >train.sh
	check train.sh
done
echo '- prime-rl, TorchTitan and a config of our own'
printf '%b' 'max_steps = 10\n[model]\nname = "Qwen/Qwen3-4B"\n[data]\nseq_len = 2048\nbatch_size = -4\n' >sft.toml
said='batch_size = -4' check sft.toml
for said in 'global_batch_size = -1' 'global_batch_size = 0' 'local_batch_size = 0' 'steps = -7'; do
	printf '%b' "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\ndata_parallel_shard_degree = -1\n[training]\nseq_len = 2048\n$said\n" >titan.toml
	check titan.toml
done
base='parplan: 1\nworld: 8\nmodel: {preset: llama3-8b}\n'
yaml 'training: {global_batch_size: -1, micro_batch_size: 1}' 'training: {micro_batch_size: 0}'
