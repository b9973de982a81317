# Configs and scripts of frameworks that train nothing, and trainings beside them.
d=$(mktemp -d) || exit
trap 'rm -rf "$d"' EXIT
cd "$d" || exit
model='model: {model_name: meta-llama/Llama-3.2-1B-Instruct, model_max_length: 8192}'
echo "$model
tasks: [{evaluation_backend: lm_harness, task_name: mmlu}]" >oumi-eval.yaml
echo "$model
generation: {max_new_tokens: 8}
engine: VLLM" >oumi-infer.yaml
echo "$model
generation: {max_new_tokens: 8}
training: {per_device_train_batch_size: 1}" >oumi-train.yaml
printf '#!/bin/bash\naccelerate launch -m oumi evaluate -c oumi-eval.yaml\n' >oumi-eval.sh
model='model: {_component_: torchtune.models.llama3_2.llama3_2_1b}'
echo "$model
tasks: [truthfulqa_mc2]
batch_size: 8" >tune-eval.yaml
echo "$model
max_new_tokens: 300
prompt: Tell me a joke." >tune-generate.yaml
echo "$model
quantizer: {groupsize: 256}" >tune-quantize.yaml
echo "$model
quantizer: {groupsize: 256}
optimizer: {_component_: torch.optim.AdamW}
batch_size: 2" >tune-qat.yaml
base='model_name_or_path: Qwen/Qwen3-4B
template: qwen3'
echo "$base
infer_backend: huggingface" >factory-chat.yaml
echo "$base
finetuning_type: lora
export_dir: out" >factory-export.yaml
echo "$base
finetuning_type: lora
do_predict: true" >factory-predict.yaml
echo "$base
finetuning_type: lora
do_predict: true
do_train: true" >factory-train.yaml
echo "$base
do_eval: true
do_train: 1" >factory-one.yaml
printf 'swift export --model Qwen/Qwen3-4B --quant_bits 4 --quant_method gptq\n' >swift-export.sh
printf 'swift infer --model Qwen/Qwen3-4B\nswift sft --model Qwen/Qwen3-4B\n' >swift-sft.sh
printf 'megatron export --model Qwen/Qwen3-4B --tensor_model_parallel_size 2\n' >swift-megatron.sh
printf 'llamafactory-cli train --stage sft --help\n' >factory-help.sh
printf 'torchrun --nproc_per_node 8 train.py --stage sft --finetuning_type full -h\n' >factory-h.sh
generation='python3 -m verl.trainer.main_generation trainer.n_gpus_per_node=8 data.output_path=o model.path=m'
echo "$generation" >verl-generate.sh
echo "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=m trainer.n_gpus_per_node=8
$generation" >verl-ppo.sh
cat >verl-generate.yaml <<'YAML'
trainer: {nnodes: 1, n_gpus_per_node: 8}
data: {path: test.parquet, output_path: out.parquet}
model: {path: Qwen/Qwen3-4B}
rollout: {tensor_model_parallel_size: 1}
YAML
for file in *.yaml *.sh; do
	echo "== $file"
	COLUMNS=200 parplan check "$file" | grep not-a-job
	parplan plan --world 8 "$file" | grep 'no training'
done 2>&1
echo "== forecast"
for as in applied asked; do
	parplan sim --world 8 --set cluster.gpu=h100-sxm --as $as oumi-eval.yaml
	parplan sim --set cluster.gpu=h100-sxm --as $as oumi-train.yaml
	echo "exit status $?"
done 2>&1
echo "== before all else that it lacks"
for command in sim search; do
	parplan $command oumi-eval.yaml
	echo "exit status $?"
done 2>&1
parplan report oumi-eval.yaml -o - | grep -oE 'class="outcome[^<]*|No forecast[^<]*'
parplan draw --figure groups --world 8 oumi-eval.yaml 2>&1
parplan report --search oumi-eval.yaml -o - | grep -o 'Nothing is proposed[^<]*'
echo "== strict"
parplan check --strict .
