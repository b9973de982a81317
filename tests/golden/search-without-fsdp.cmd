# Layouts without FSDP compute in fp32, or under autocast, others in bf16; where parameters are stored in bf16 and 32 bits are asked for, the other way round. No bound is above what is simulated: --exhaustive aborts where one is.
printf 'parplan: 1\nframework: {torchtitan: v0.2.2}\ncluster: {gpu: h100-sxm, nodes: 1, gpus_per_node: 4}\nmodel: {arch: llama, layers: 8, hidden: 1024, heads: 8, kv_heads: 4, ffn: 3072, vocab: 32000}\nparallelism: {dp_shard: -1}\ntraining: {seq_len: 4096, local_batch_size: 1, global_batch_size: 16}\n' >"${d:=$(mktemp -d)}/mixed.yaml"
for o in '--fix dp_shard=1' '--set training.dtype=bfloat16 --set training.param_dtype=float32'; do
	echo "$o" && parplan search --exhaustive --top 1 $o $d/mixed.yaml | sed -n '/^Best/,/^$/p; /^Candidates/,$p'
done
rm -r $d
