# TorchTitan's batches of tokens elsewhere: sequences of a microbatch, and several pipelines to a step.
config() {
	printf 'parplan: 1\nframework: {torchtitan: HEAD}\nmodel: llama3-8b\ncluster: {nodes: 2, gpus_per_node: 8, gpu: h100-sxm}\n'
	printf 'parallelism: {pp: 4, pipeline: {schedule: 1F1B, microbatches: 8}}\n'
	printf 'training: {seq_len: %s, tokens_per_microbatch: 8192, tokens_per_step: 2097152, cuda_graph: false}\n' "$1"
}
for target in megatron torchtitan torchtune; do
	config 4096 | parplan convert --to $target - 2>/dev/null | grep batch
	echo
done
# No whole number of sequences: nothing is said of them, but that.
config 3000 | parplan convert --to megatron - 2>&1 | grep -E 'batch|warning'
config 3000 | parplan sim - 2>&1
config 3000 | parplan search - 2>&1
