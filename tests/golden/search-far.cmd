# Eight adapters for two devices: the network is faster than a node's links, and no bound takes neighbours for the least.
d=$(mktemp -d)
cat >$d/far.yaml <<'EOF'
parplan: 1
framework: {torchtitan: v0.2.2}
cluster: {gpu: a100-40g, nodes: 4, gpus_per_node: 2, nic: 8x400Gb, fabric: ib}
model: {arch: llama, layers: 8, hidden: 1024, heads: 8, kv_heads: 4, ffn: 3072, vocab: 32000, moe: {experts: 8, topk: 2, expert_ffn: 1024}}
parallelism: {dp_shard: -1}
training: {seq_len: 8192, local_batch_size: 1, global_batch_size: 32}
EOF
parplan search --exhaustive --top 2 --fix tp=4 --fix pp=1 --fix cp=1 $d/far.yaml | sed -n '/^Best/,/^  ~/p; /^Candidates/,$p'
rm -r $d
