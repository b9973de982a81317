# What is trained where no key names a type, in bytes of each of Llama 3 8B's elements: parameters, gradients, what the optimizer
# keeps. fp32 is 4 + 4 + 8, and no copy but ZeRO's clone; or what is not known, and then nothing is forecast.
d=$(mktemp -d)
S="--set model.preset=llama3-8b --set cluster.gpu=h100-sxm --set cluster.gpus_per_node=8 --set training.seq_len=4096"
of() { # NAME RANKS-THAT-SHARE OPTIONS...: of the config that is read
	name=$1 ranks=$2
	shift 2
	printf '%s: ' "$name"
	parplan sim --format json $S "$@" 2>&1 | jq -Rsr --argjson ranks "$ranks" '. as $text | try (fromjson | .memory.classes[0].resident |
		[.parameters, .gradients, .optimizer] | map(. * 1073741824 / 8030261248 * $ranks * 1000 | round / 1000) | join(" + ")) catch ($text | rtrimstr("\n"))'
}
script() { printf '%s\n' "$1" >$d/run.sh; }
MEGATRON='torchrun --nproc_per_node 1 pretrain_gpt.py --tensor-model-parallel-size 1 --micro-batch-size 1 --global-batch-size 1'
script "$MEGATRON"; of 'Megatron-LM' 1 $d/run.sh
script "$MEGATRON --bf16"; of 'Megatron-LM --bf16' 1 $d/run.sh
script "$MEGATRON --use-distributed-optimizer"; of 'Megatron-LM, distributed optimizer' 1 $d/run.sh
script "$MEGATRON \$EXTRA"; of 'Megatron-LM $EXTRA' 1 $d/run.sh
script "$MEGATRON --deepspeed --deepspeed_config ds.json"; of 'Megatron-DeepSpeed' 1 $d/run.sh
printf '{"pipe_parallel_size": 1, "model_parallel_size": 1, "train_micro_batch_size_per_gpu": 1}' >$d/neox.yml
of 'GPT-NeoX' 1 --world 8 $d/neox.yml
for stage in 0 1 2 3; do
	printf '{"zero_optimization": {"stage": %s}, "train_micro_batch_size_per_gpu": 1}' $stage >$d/ds.json
	of "DeepSpeed, stage $stage on 1 rank" 1 --world 1 $d/ds.json
done
printf '{"zero_optimization": {"stage": 1}, "train_micro_batch_size_per_gpu": "auto"}' >$d/ds.json
of 'DeepSpeed, auto' 1 --world 1 $d/ds.json
TRAINER='train.py --model_name_or_path meta-llama/Meta-Llama-3-8B --per_device_train_batch_size 1 --output_dir out'
script "torchrun --nproc_per_node 1 $TRAINER"
of 'the Trainer' 1 $d/run.sh
of 'the Trainer, transformers 5.1' 1 --framework transformers@5.1.0 $d/run.sh
script "torchrun --nproc_per_node 1 $TRAINER --torch_dtype bfloat16"; of 'the Trainer --torch_dtype bfloat16' 1 $d/run.sh
script "torchrun --nproc_per_node 1 $TRAINER --torch_dtype auto"; of 'the Trainer --torch_dtype auto' 1 $d/run.sh
script "torchrun --nproc_per_node 1 $TRAINER --bf16 True"; of 'the Trainer --bf16' 1 $d/run.sh
script "torchrun --nproc_per_node 1 $TRAINER --bf16 True --torch_dtype bfloat16"; of 'the Trainer --bf16 --torch_dtype bfloat16' 1 $d/run.sh
script "accelerate launch --num_processes 1 $TRAINER"; of 'accelerate launch, the Trainer' 1 $d/run.sh
script "accelerate launch --num_processes 1 train.py"; of 'accelerate launch, another script' 1 --set training.micro_batch_size=1 $d/run.sh
printf 'model_name_or_path: meta-llama/Meta-Llama-3-8B\nper_device_train_batch_size: 1\n' >$d/trl.yaml
for key in '' 'bf16: false' 'fp16: true' 'fsdp_config: {fsdp_version: 2}'; do
	printf 'base_model: x\ndatasets: []\nmicro_batch_size: 1\nsequence_len: 4096\n%s\n' "$key" >$d/axolotl.yaml
	case $key in fsdp*) ranks=8 ;; *) ranks=1 ;; esac
	of "axolotl $key" $ranks --world $ranks $d/axolotl.yaml
done
for words in '' '--fp16 true' '--fsdp fsdp2'; do
	case $words in *fsdp*) ranks=8 ;; *) ranks=1 ;; esac
	script "NPROC_PER_NODE=$ranks swift sft --model x --train_type full --per_device_train_batch_size 1 $words"; of "ms-swift $words" $ranks $d/run.sh
done
# of fp32 products are fp32, or tf32 where that is asked for
for words in '' '--tf32 True' '--tf32 True --bf16 True'; do
	script "torchrun --nproc_per_node 1 $TRAINER $words"
	echo "the Trainer $words: $(parplan explain $d/run.sh training.matmul_dtype 2>&1 | sed "s| (.*||;q")"
done
# a place to fill in takes no flag behind it
script "$MEGATRON --tensorboard-dir <TENSORBOARD DIRECTORY> --fp16"; of 'Megatron-LM <DIRECTORY> --fp16' 1 $d/run.sh
for version in 0.18.2 0.19.0; do
	parplan explain --framework trl@$version $d/trl.yaml training.param_dtype | head -n 1
done
for type in fp32 bf16; do
	printf 'model: {_component_: torchtune.models.llama3.llama3_8b}\nbatch_size: 1\ndtype: %s\noptimizer: {_component_: torch.optim.AdamW}\n' $type >$d/tune.yaml
	of "torchtune $type" 8 --world 8 $d/tune.yaml
done
for type in float32 bfloat16; do
	for engine in dtensor megatron; do
		printf 'policy: {precision: %s, train_micro_batch_size: 1, train_global_batch_size: 8, %s_cfg: {enabled: true, tensor_model_parallel_size: 1}}\n' \
			$type $engine >$d/rl.yaml
		printf 'cluster: {gpus_per_node: 8, num_nodes: 1}\ngrpo: {}\n' >>$d/rl.yaml
		of "NeMo-RL $engine $type" $([ $engine = dtensor ] && echo 8 || echo 1) --set training.objective=sft $d/rl.yaml
	done
done
rm -r $d
