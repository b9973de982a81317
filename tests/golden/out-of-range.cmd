# Whoever's key it is, a share is a part of 1: in flags, in options, in what a search varies; in silence where it is.
f=$(mktemp)
printf '%s\n' 'torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 8 --use-distributed-optimizer --optimizer-cpu-offload --optimizer-offload-fraction 1.5' >$f
parplan check -q $f | sed "s|$f|FILE|"
sed 's/1\.5$/0.5/' $f | parplan check -q --dialect megatron-sh - ; echo $?
parplan check -q --set actor_rollout_ref.rollout.gpu_memory_utilization=90 testdata/dialects/verl/hsdp.yaml
for n in -0.1 .nan .inf 1e400 0 1 1.0000001 100 101; do
	echo "== $n"
	parplan check -q --set rollout.memory_share=$n plans/fsdp-8.yaml | grep -e error -e fix
done
for set in training.seq_len=-8 training.seq_len=0 training.seq_len=1 parallelism.zero_stage=4 parallelism.zero_stage=-1 parallelism.pipeline.virtual_stages=0 training.gradient_accumulation_steps=-1; do
	echo "== $set"
	parplan check -q --set $set plans/fsdp-8.yaml | grep -e error -e fix
done
echo '{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 4}}' >$f
parplan check -q --dialect deepspeed --world 8 $f | sed "s|$f|FILE|"
parplan check -q --set training.max_norm=.inf plans/fsdp-8.yaml; echo $?
parplan search --fix pp=1 --fix cp=1 --fix tp=1 --top 1 --vary training.optimizer.offload=0,2 plans/fsdp-8.yaml | grep out-of-range
parplan schema | jq -c '[.. | objects | select(has("maximum"))][]'
rm $f
