# Attention that sees a window of tokens. Megatron-LM's flags: tokens before the query and its own; blocks in turn.
d=$(mktemp -d)
cat >$d/run.sh <<'SCRIPT'
torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 12 --hidden-size 1024 --num-attention-heads 16 --seq-length 32768 \
	--max-position-embeddings 32768 --micro-batch-size 1 --global-batch-size 64 --bf16 --vocab-size 32000 $MORE
SCRIPT
for more in '' '--window-size 1023,0' '--window-size (1023,0) --window-attn-skip-freq 6' '--window-size -1,0' \
	'--window-size 127,0 --window-attn-skip-freq [1,1,1,0]*3' '--window-size 127,0 --window-attn-skip-freq ([0]*2+[1]*10)' \
	'--window-size 127 --window-attn-skip-freq 2' '--window-size 127,0 --window-attn-skip-freq [1]*x'; do
	echo "== $more"
	parplan explain --env MORE="$more" $d/run.sh | grep 'model.window' | cut -d'(' -f1
	parplan sim --gpu h100-sxm --env MORE="$more" --format json $d/run.sh | jq -c '[(.step_time_s * 1000 | round), .not_counted]'
done
# a kernel that knows windows is quicker with them; PyTorch's takes a mask of all pairs, is slower, and keeps it
cat >$d/gemma.yaml <<'YAML'
parplan: 1
framework: {transformers: 4.57.6}
cluster: {gpu: h100-sxm, nodes: 1, gpus_per_node: 8}
model: gemma3-4b
parallelism: {dp_shard: 8}
training: {seq_len: 8192, local_batch_size: 1, param_dtype: bfloat16, kernels: KERNEL}
YAML
for kernel in sdpa flash_attention_2; do
	sed "s/KERNEL/$kernel/" $d/gemma.yaml >$d/now.yaml
	for window in 0 1024 8192 8193; do
		echo "$kernel, window $window: $(parplan sim --set model.window=$window --format json $d/now.yaml |
			jq -c '[(.step_time_s * 1000 | round), (.memory.classes[0].activations * 100 | round | . / 100)]')"
	done
done
# blocks that are neither one nor the other
(cd $d && parplan check --set model.window_blocks=wwz now.yaml)
# written for Megatron-LM and read back
for model in gpt_oss-20b gemma3-27b mistral-7b; do
	sed "s/gemma3-4b/$model/; s/transformers: .*}/megatron: core@2025-12}/; s/kernels: KERNEL/global_batch_size: 8/" $d/gemma.yaml >$d/now.yaml
	(cd $d && parplan convert --to megatron now.yaml | grep window)
	{
		(cd $d && parplan convert --to megatron now.yaml)
		echo 'torchrun --nproc_per_node 8 pretrain_gpt.py "${MEGATRON_ARGS[@]}"'
	} >$d/back.sh
	parplan explain $d/back.sh | grep 'model.window' | cut -d'(' -f1
done
rm -r $d
