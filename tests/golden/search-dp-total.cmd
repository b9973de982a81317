# A key for all data parallelism follows the other degrees, with replicas beside it where the framework has them.
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
parplan search testdata/dialects/nemo-automodel/hsdp.yaml --gpus 32 --gpu h100-sxm --fix tp=2 --fix dp_replicate=2 --top 2 \
	--set training.seq_len=4096 --write "$out" | sed -n '/^Best/,/^$/p'
diff testdata/dialects/nemo-automodel/hsdp.yaml "$out/02-hsdp.yaml"
cat > "$out/old.yaml" <<'END'
parplan: 1
framework: torchtitan@2024-06-15
model: {preset: llama3-8b}
cluster: {gpu: h100-sxm, gpus_per_node: 8, nodes: 1}
parallelism: {dp: 4, tp: 2}
training: {seq_len: 4096, local_batch_size: 1}
END
parplan search "$out/old.yaml" --fix tp=4 --top 1 --write "$out" | sed -n '/^Best/,/^$/p'
diff "$out/old.yaml" "$out/01-old.yaml"
parplan search "$out/old.yaml" --vary dp=1,2 --top 2 | sed -n '/^Best/,/^$/p'
