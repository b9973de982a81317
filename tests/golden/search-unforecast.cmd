# DPO's reference passes through a pipeline are not forecast: where nothing else runs, that is said, and of how many.
d=$(mktemp -d)
printf 'NPROC_PER_NODE=8 megatron rlhf --rlhf_type dpo --model Qwen/Qwen3-30B-A3B --tuner_type full --max_length 8192 --tensor_model_parallel_size 2 --micro_batch_size 1 --global_batch_size 16\n' >$d/run.sh
parplan search --gpu h100-sxm $d/run.sh | grep -E '^No layout|no forecast'
rm -r $d
