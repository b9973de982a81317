# DeepSpeed moves parameters to host memory at stage 3 alone, the optimizer's state from stage 1 on.
for stage in 0 2 3; do
	printf 'parplan: 1\nframework: {deepspeed: edaa7221}\nworld: 8\ncluster: {gpu: h100-sxm, gpus_per_node: 8}\nmodel: llama3-1b\nparallelism: {zero_stage: %s, dp_shard: %s, dp_replicate: %s}\ntraining: {seq_len: 1024, micro_batch_size: 1, cpu_offload: true, activation_checkpoint: {mode: full}}\n' $stage $([ $stage = 3 ] && echo 8 1 || echo 1 8) | parplan sim - | grep -e parameters -e optimizer.state -e 'host memory' | sed "s/^/$stage /"
done
