# How many GPUs of a node have ranks is said alike in the first line, by the rule of processes and by that of ranks.
plan() { parplan check plans/fsdp-8.yaml "$@"; }
plan -- torchrun --nnodes 1 --nproc-per-node 4 train.py
plan --world 9
d=$(mktemp -d)
cp plans/torchtitan-llama3-8b.toml $d/job.toml
echo 'CUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --nnodes 1 --nproc-per-node 4 -m torchtitan.train --job.config_file job.toml' >$d/run.sh
parplan check --set cluster.gpus_per_node=8 $d/run.sh | grep -v "$d.*error" | sed "s#$d/##" | sed -n '1,3p;/idle-gpus/,/^$/p'
rm -r $d
