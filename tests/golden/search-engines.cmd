job="--model llama3-1b --framework verl@0.5.0 --gpus 8 --gpu h200 --seq-len 4096 --global-batch 64 --top 1"
# One engine's layouts have other axes than the other's: none is searched until one is named.
parplan search $job
parplan search $job --vary parallelism.engine=fsdp,megatron
# Each by itself, and both beside each other.
parplan search $job --set parallelism.engine=fsdp | sed -n '/^Best/,/^$/p;/^One/,/^$/p'
d=$(mktemp -d) || exit
trap 'rm -rf "$d"' EXIT
printf "parallelism.engine: [fsdp, megatron]\n" >"$d/engines"
parplan search $job --sweep "$d/engines"
