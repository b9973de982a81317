# TorchTitan main captures passes unless told otherwise, and refuses pipelines then and tokens that wait for the host.
d=$(mktemp -d)
config() {
	printf 'parplan: 1\nframework: {torchtitan: HEAD}\nmodel: deepseek_v3-16b\ncluster: {nodes: 2, gpus_per_node: 8, gpu: h100-sxm}\n'
	printf 'parallelism: {dp_shard: 16, ep: 8%s}\ntraining: {seq_len: 4096}\n' "$1"
}
best() {
	parplan search -q --fix dp_replicate=1 --top 1 --write "$d/best" "$@" "$d/job.yaml" >"$d/out"
	diff "$d/job.yaml" "$d/best/01-job.yaml" | grep -o 'microbatches: [0-9]*\|cuda_graph: [a-z]*'
	rm -r "$d/best"
}
for dispatcher in '' ', expert_dispatcher: standard' ', expert_dispatcher: minimal_async_ep'; do
	config "$dispatcher" >"$d/job.yaml"
	echo "'$dispatcher': $(COLUMNS=400 parplan check "$d/job.yaml" | grep -o -m 1 'token dispatcher: [A-Za-z.]*')"
	best --fix ep=8 --fix pp=1
done
echo "pipelines"
best --fix ep=1 --fix pp=2
rm -r "$d"
