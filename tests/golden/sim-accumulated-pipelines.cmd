# Gradients that are added up over several steps of a pipeline: each fills and drains again, (pp - 1) / (m + pp - 1) of it,
# and gathers and reduces again.
config() {
	printf 'parplan: 1\nframework: {torchtitan: v0.2.2}\nmodel: llama3-8b\ncluster: {nodes: 2, gpus_per_node: 8, gpu: h100-sxm}\n'
	printf 'parallelism: {dp_shard: 4, pp: 4, pipeline: {schedule: 1F1B}}\ntraining: {seq_len: 4096, local_batch_size: %s, global_batch_size: 64}\n' "$1"
}
for local in 2 4 8 16; do
	config $local | parplan sim --format json - | jq -r "\"m $local: idle \(.breakdown_s.bubble / .step_time_s * 100 | round) %, of \(3 / ($local + 3) * 100 | round) %; gathered \([.collectives[] | select(.op == \"all_gather\") | .count] | add) times\""
done
