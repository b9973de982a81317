# NeMo 1.x: two of its optimizers cut 12 bytes of state for each of 8.03e9 / 2 parameters over dp 4.
d=$(mktemp -d)
for name in fused_adam distributed_fused_adam mcore_distributed_optim; do
	cat >"$d/gpt.yaml" <<END
trainer: {devices: 8, num_nodes: 1, precision: bf16}
exp_manager: {name: x}
model:
  micro_batch_size: 1
  global_batch_size: 64
  tensor_model_parallel_size: 2
  sequence_parallel: true
  encoder_seq_length: 4096
  num_layers: 32
  hidden_size: 4096
  ffn_hidden_size: 14336
  num_attention_heads: 32
  num_query_groups: 8
  activation: fast-swiglu
  share_embeddings_and_output_weights: false
  megatron_amp_O2: true
  optim: {name: $name}
END
	echo "== $name"
	parplan sim --set cluster.gpu=h100-sxm --set model.vocab=128256 "$d/gpt.yaml" | sed -n '/^Memory/,/^  activations/p'
done
rm -r "$d"
