# Asynchronous tensor parallelism is chosen where the model is compiled, and goes into the file under the key of its version.
d=$(mktemp -d)
machine='--world 16 --set cluster.gpu=h100-sxm --set cluster.gpus_per_node=8'
parplan search --top 1 --fix pp=1 --fix cp=1 --fix tp=8 --write $d plans/torchtitan-llama3-8b.toml $machine --set training.compile=true | grep -A2 -e '^   1~' -e 'tensor parallelism a'
grep async_tensor $d/*.toml
parplan search --fix async_tp=true plans/torchtitan-llama3-8b.toml $machine --set training.compile=false 2>&1
rm -r $d
