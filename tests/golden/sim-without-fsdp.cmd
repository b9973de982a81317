# TorchTitan casts to bfloat16 in fully_shard alone. Over tp 8 llama3-8b's 8.03e9 parameters take 8.03e9 * 4 / 8 bytes, 3.74 GiB, whatever it computes in, and its optimizer twice that; where they are stored in bf16, all is half of it.
# Selective recomputation by operators keeps 2 bytes of 4488 numbers of a token in each of 32 blocks (an eighth of the stream three times, of queries twice, of keys, of the MLP's 14336, 4 statistics), and at the end 4608: 8192 tokens take 2.26 GiB in bf16, 4.52 GiB in fp32, whose products an H100 makes at 67 TFLOP/s instead of 989.
# Nothing else cast before 0b44d4c43 (2025-06-16); then autocast did for DDP, and since 00b7f5693 (2026-04-09) fully_shard for all. Since e1847f439 (2026-03-09) replicas have no buckets of DDP's, 29.92 GiB of gradients.
said() { grep -E 'in full |compute in '; }
sim() { parplan sim - | grep -E '^  (time|computing|parameters|gradients|optimizer state|activations|device)'; }
job() { # $1: commit, $2: parallelism, $3: of training
	printf 'parplan: 1\nframework: {torchtitan: %s}\nworld: 8\ncluster: {gpu: h100-sxm, gpus_per_node: 8}\nmodel: llama3-8b\nparallelism: {%s}\ntraining: {seq_len: 8192, local_batch_size: 1, activation_checkpoint: {mode: selective, option: op}%s}\n' "$1" "$2" "$3"
}
both() { echo "== $1, $2$3" && job "$1" "$2" "$3" | parplan check - | said; job "$1" "$2" "$3" | parplan explain - training.param_dtype | grep "comes to"; job "$1" "$2" "$3" | sim; }
both v0.2.2 'dp_shard: 1, tp: 8'
job v0.2.2 'dp_shard: 1, tp: 8' | parplan sim - | sed -n '/^What is applied/,$p'
both v0.2.2 'dp_shard: 1, tp: 8' ', param_dtype: float32'
both v0.2.2 'dp_shard: 1, tp: 8' ', dtype: bfloat16'
both v0.2.2 'dp_shard: 2, tp: 4'
both HEAD 'dp_shard: 1, tp: 8'
for at in 8570415c3 0b44d4c43 e1847f439 HEAD; do both "$at" 'dp_replicate: 8, dp_shard: 1'; done
