# Devices that a variable lists, or a task asks for, are all that processes see, whatever a machine has.
d=$(mktemp -d) || exit
trap 'rm -rf "$d"' EXIT
cd "$d" || exit
echo 'cluster: {gpu: h100-sxm, gpus_per_node: 8}' >.parplan.yaml
cat >task.yaml <<'YAML'
resources: {accelerators: "A100:4"}
num_nodes: 1
run: accelerate launch --num_processes 4 --use_fsdp --fsdp_sharding_strategy HYBRID_SHARD train.py
YAML
ask() { # LINE
	echo "$1" >run.sh
	echo "== $1"
	COLUMNS=200 parplan check run.sh | grep -E ' (error|warning): |stops with|fix:'
}
ask 'CUDA_VISIBLE_DEVICES=0,1 NPROC_PER_NODE=2 swift sft --model Qwen/Qwen3-4B'
ask 'CUDA_VISIBLE_DEVICES=0,1 NPROC_PER_NODE=4 swift sft --model Qwen/Qwen3-4B'
ask 'CUDA_VISIBLE_DEVICES=0,1,2,3 NPROC_PER_NODE=2 swift sft --model Qwen/Qwen3-4B'
ask 'CUDA_VISIBLE_DEVICES=0,1,2,3 NPROC_PER_NODE=2 swift sft --model Qwen/Qwen3-4B --deepspeed zero2'
ask 'CUDA_VISIBLE_DEVICES=0,1,2,3 NPROC_PER_NODE=4 swift sft --model Qwen/Qwen3-4B --deepspeed zero2'
ask 'CUDA_VISIBLE_DEVICES=0,1 swift sft --model Qwen/Qwen3-4B --fsdp fsdp2'
ask 'ASCEND_RT_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node 2 train.py'
ask 'CUDA_VISIBLE_DEVICES=MIG-3b2f,GPU-8932f937-d72c torchrun --nproc_per_node 2 train.py'
ask 'CUDA_VISIBLE_DEVICES=GPU-8932f937-d72c torchrun --nproc_per_node 2 train.py'
ask 'torchrun --nproc_per_node 2 train.py'
ask 'CUDA_VISIBLE_DEVICES=$DEVICES torchrun --nproc_per_node 2 train.py'
echo '== task.yaml'
for more in '' '--set launch.gpus_requested=8'; do
	COLUMNS=200 parplan check $more task.yaml | grep -E ' (error|warning): '
done
