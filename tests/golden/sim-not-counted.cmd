# What a config asks for and no forecast counts is said, not passed over: of Megatron's arguments and of DeepSpeed's and others' files. Where
# parameters and the optimizer's state both wait in host memory that is counted. What is off asks for nothing.
d=$(mktemp -d)
cat >$d/run.sh <<'SCRIPT'
torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 \
	--max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 64 --bf16 --vocab-size 32000 $MORE
SCRIPT
for more in '' '--window-size 1024,0 --batch-invariant-mode'; do
	echo "== $more"
	parplan sim --gpu h100-sxm --env MORE="$more" $d/run.sh | sed -n '/^Not counted/,$p'
	parplan sim --gpu h100-sxm --env MORE="$more" --format json $d/run.sh | jq -c .not_counted
done
parplan search --gpu h100-sxm --top 1 --env MORE=--delay-wgrad-compute $d/run.sh | sed -n '/^Not counted/,/^$/p'
# a model of images beside that of text, whose length is not --seq-length; BERT; what only generates
sed 's/pretrain_gpt/pretrain_bert/' $d/run.sh >$d/bert.sh
parplan sim --gpu h100-sxm --env MORE= $d/bert.sh | sed -n '/^Not counted/,$p'
parplan sim --gpu h100-sxm --env MORE='--img-h 336 --img-w 336 --decoder-seq-length 1024' $d/run.sh | sed -n '/^Not counted/,$p'
(cd $d && parplan explain --env MORE='--img-h 336 --img-w 336 --decoder-seq-length 1024' run.sh | grep seq_len)
sed 's/pretrain_gpt/generate_samples_gpt/' $d/run.sh >$d/generate.sh
parplan sim --gpu h100-sxm --env MORE= $d/generate.sh 2>&1
for zero in '"zero_quantized_weights": true' '"zero_hpz_partition_size": 1' '"zero_hpz_partition_size": 4' '"zero_quantized_weights": false' '"offload_param": {"device": "cpu"}' \
	'"offload_param": {"device": "cpu"}, "offload_optimizer": {"device": "cpu"}' '"offload_param": {"device": "none"}'; do
	printf '{"bf16": {"enabled": true}, "train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3, %s}}' "$zero" >$d/ds.json
	echo "$zero: $(parplan sim --world 8 --set model.preset=llama3-8b --set training.seq_len=4096 --gpu h100-sxm --format json $d/ds.json | jq -c .not_counted)"
done
# what is not trained, or takes turns, in three that stand on transformers
printf 'base_model: x\ndatasets: []\nmicro_batch_size: 1\nsequence_len: 4096\nbf16: true\nunfrozen_parameters: [lm_head]\ntiled_mlp: false\n' >$d/axolotl.yaml
printf 'model_name_or_path: x\nstage: sft\nfinetuning_type: full\nuse_badam: true\nper_device_train_batch_size: 1\ncutoff_len: 4096\nbf16: true\n' >$d/factory.yaml
printf 'NPROC_PER_NODE=8 swift sft --model x --train_type full --freeze_parameters_ratio 0.5 --torch_dtype bfloat16 --max_length 4096\n' >$d/swift.sh
for file in axolotl.yaml factory.yaml swift.sh; do
	parplan sim --world 8 --set model.preset=llama3-8b --gpu h100-sxm --format json $d/$file | jq -c .not_counted
done
# other frameworks, each with keys on, and with the same ones off or at their defaults
ask() { # FILE, WHAT stands for @, ...
	file=$1
	shift
	for more in "$@"; do
		sed "s|@|$more|" $d/$file >$d/now-$file
		printf '%s: %s: ' "$file" "$more"
		parplan sim --world 8 --set cluster.gpus_per_node=8 --set model.preset=llama3-8b --gpu h100-sxm --format json $d/now-$file |
			jq -c .not_counted
	done
}
cat >$d/titan.toml <<'TOML'
model = {name = "llama3", flavor = "8B", converters = [@}
[training]
seq_len = 4096
local_batch_size = 1
[parallelism]
tensor_parallel_degree = 2
TOML
ask titan.toml ']' '"quantize.linear.mx"]' '"quantize.linear.float8"]' ']}\ndebug = {deterministic = true' \
	']}\ncompile = {enable = true, backend = "eager"' ']}\ncompile = {enable = true, backend = "inductor"'
cat >$d/tune.yaml <<'YAML'
# tune run --nproc_per_node 8 qat_distributed
model: {_component_: torchtune.models.llama3_1.llama3_1_8b}
tokenizer: {max_seq_len: 4096}
batch_size: 1
dtype: bf16
@
YAML
ask tune.yaml '' 'quantizer: {groupsize: 256}' 'custom_sharded_layers: []' 'custom_sharded_layers: [output]'
cp testdata/dialects/nanotron/llama.yaml $d/nano.yaml
sed -i 's/^  dp: 2/  dp: 1\n  @/' $d/nano.yaml
ask nano.yaml 'tp_recompute_allgather: true' 'tp_recompute_allgather: false' 'tp_linear_async_communication: true'
cat >$d/verl.sh <<'SCRIPT'
python3 -m verl.trainer.main_ppo data.max_prompt_length=1024 data.max_response_length=3072 actor_rollout_ref.actor.ppo_mini_batch_size=64 \
	actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 actor_rollout_ref.rollout.n=8 trainer.n_gpus_per_node=8 @
SCRIPT
actor=actor_rollout_ref.actor
ask verl.sh '' "$actor.entropy_coeff=0" "$actor.entropy_coeff=0.01" "actor_rollout_ref.rollout.free_cache_engine=True" \
	"actor_rollout_ref.rollout.free_cache_engine=False" "$actor.fsdp_config.param_offload=True" \
	"$actor.fsdp_config.param_offload=True $actor.fsdp_config.optimizer_offload=True" "$actor.strategy=megatron $actor.megatron.param_offload=True"
cat >$d/rl.yaml <<'YAML'
sft: {max_num_steps: 1}
cluster: {num_nodes: 1, gpus_per_node: 8}
policy:
  {model_name: x, train_global_batch_size: 64, train_micro_batch_size: 1, max_total_sequence_length: 4096, precision: bfloat16,
   dtensor_cfg: {enabled: false}, @
   megatron_cfg: {enabled: true, tensor_model_parallel_size: 2, pipeline_model_parallel_size: 1, context_parallel_size: 1}}
YAML
ask rl.yaml '' 'draft: {enabled: false},' 'draft: {enabled: true},' 'quant_cfg: null,' 'quant_cfg: FP8_DEFAULT_CFG,'
printf 'deepspeed --num_gpus 8 --module openrlhf.cli.train_sft --pretrain x --max_len 4096 --micro_train_batch_size 1 --train_batch_size 64 --zero_stage 3 @\n' >$d/openrlhf.sh
ask openrlhf.sh '' '--zpg 1' '--zpg 8' '--ds.deepcompile' '--ds.grad_accum_dtype fp32'
printf 'max_seq_len: 4096\nglobal_train_batch_size: 64\nprecision: amp_bf16\n@\n' >$d/foundry.yaml
ask foundry.yaml 'fsdp_config: {mixed_precision: DEFAULT}' 'fsdp_config: {mixed_precision: FULL}' 'fsdp_config: {te_shard_fp8_weight: true}' \
	'fsdp_config: {}\ndevice_train_microbatch_size: auto' 'fsdp_config: {}\ndevice_train_microbatch_size: 1'
printf 'step_scheduler: {global_batch_size: 64, local_batch_size: 1}\npacked_sequence: {packed_sequence_size: 4096}\n@\n' >$d/automodel.yaml
ask automodel.yaml 'distributed: {strategy: fsdp2}' 'distributed: {strategy: megatron_fsdp, zero_dp_strategy: 3}' \
	'distributed: {strategy: megatron_fsdp, zero_dp_strategy: 1}' 'distributed: {strategy: fsdp2}\nqat: {enabled: true}'
printf 'train: {train_iters: 1, global_batch_size: 64, micro_batch_size: 1}\nmodel: {tensor_model_parallel_size: 2, pipeline_model_parallel_size: 1, context_parallel_size: 1, expert_model_parallel_size: 1, expert_tensor_parallel_size: 1, seq_length: 4096}\n@\n' >$d/bridge.yaml
ask bridge.yaml '' 'comm_overlap: {delay_wgrad_compute: true}' 'ddp: {use_megatron_fsdp: true}' 'ddp: {use_megatron_fsdp: false}'
printf 'max_steps = 10\nmodel = {name = "x/y", impl = "hf", attn = "flash_attention_2"@}\ndata = {seq_len = 4096, batch_size = 64, micro_batch_size = 1}\noptim = {lr = 1e-5}\n' >$d/prime.toml
ask prime.toml '' ', optim_cpu_offload = false' ', optim_cpu_offload = false, fsdp_cpu_offload = true' ', optim_cpu_offload = false, full_offload = true'
printf 'compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\ndeepspeed_config: {zero_stage: 3@}\n' >$d/launch.yaml
for more in '' ', offload_param_device: none' ', offload_param_device: cpu' ', offload_param_device: cpu, offload_optimizer_device: cpu'; do
	sed "s|@|$more|" $d/launch.yaml >$d/now.yaml
	echo "launch.yaml: $more: $(parplan sim --set cluster.gpus_per_node=8 --set model.preset=llama3-8b --set training.seq_len=4096 \
		--set training.micro_batch_size=1 --set training.param_dtype=bfloat16 --gpu h100-sxm --format json $d/now.yaml | jq -c .not_counted)"
done
printf 'model_name_or_path: x\nper_device_train_batch_size: 1\nmax_length: 4096\nbf16: true\nfsdp: full_shard\n@\n' >$d/trl.yaml
ask trl.yaml '' 'auto_find_batch_size: false' 'auto_find_batch_size: true' 'liger_kernel_config: {rope: false}' \
	'use_liger_kernel: true\nliger_kernel_config: {rope: false}'
rm -r $d
