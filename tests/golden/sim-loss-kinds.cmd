# The logits of 8192 tokens of qwen3-8b are 151936 x 8192, 2.32 GiB for each 2 bytes; a gradient of the projection 1.16 GiB in bf16, 2.32 GiB in fp32.
# whole: 12 bytes; in_place: 6; chunked: 5.25; recomputed: none; tiled: none, but 2.44 GiB of gradients in fp32 and a tile of 0.25 GiB.
# fused: 1.16 GiB + the input's 0.06 GiB + 0.07 GiB of 256 tokens. A block that is computed again takes 1.91 GiB, 1.34 GiB where its norms and its gate are fused.
sim() { # $1: kind, $2: fused
	 printf 'parplan: 1\nframework: {torch: 2.9.0}\nworld: 8\ncluster: {gpu: h100-sxm, gpus_per_node: 8}\nmodel: {preset: qwen3-8b, layers: 1}\nparallelism: {dp_shard: 8}\ntraining: {seq_len: 8192, micro_batch_size: 1, activation_checkpoint: {mode: full}, loss: {kind: %s}, fused: {norms: %s, gate: %s}}\n' "$1" "$2" "$2" | parplan sim - | grep -E 'loss, rec' | sed "s/^/$1, $2 /"
}
for kind in whole in_place chunked recomputed tiled fused; do sim $kind false; done
sim fused true
