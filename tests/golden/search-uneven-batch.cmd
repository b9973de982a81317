# A layout whose batch cannot be cut is none of those that candidates are counted in.
options='--gpus 8 --gpu h100-sxm --model llama3-1b --seq-len 2048 --global-batch 4 --framework torchtitan@v0.2.0 --fix tp=1 --fix cp=1 --top 1'
parplan search $options --fix pp=1,2,4 --fix dp_shard=1 | sed -n '/^Candidates/,$p'
parplan search $options --fix pp=1,2 --fix dp_shard=1 --format json | grep -o '"space":{[^}]*}'
parplan search $options --fix pp=2 --fix micro_batch_size=3 2>&1
# Values of one setting stand in one place.
parplan search $options --fix pp=1 --fix pp=2 2>&1
echo
parplan search $options --fix pp=1 --vary parallelism.pp=2 2>&1
