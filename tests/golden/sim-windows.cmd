# Attention that sees a window of tokens. Megatron-LM's flags: tokens before the query and its own; blocks in turn.
d=$(mktemp -d)
cat >$d/run.sh <<'SCRIPT'
torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 12 --hidden-size 1024 --num-attention-heads 16 --seq-length 32768 \
	--max-position-embeddings 32768 --micro-batch-size 1 --global-batch-size 64 --bf16 --vocab-size 32000 $MORE
SCRIPT
for more in '' '--window-size 1023,0' '--window-size (1023,0) --window-attn-skip-freq 6' '--window-size -1,0' \
	'--window-size 127,0 --window-attn-skip-freq [1,1,1,0]*3' '--window-size 127,0 --window-attn-skip-freq ([0]*2+[1]*10)' \
	'--window-size 127 --window-attn-skip-freq 2' '--window-size 127,' '--window-size 127,0,0' '--window-size x,0' '--window-size 127,0 --window-attn-skip-freq [1]*x'; do
	echo "== $more"
	parplan explain --env MORE="$more" $d/run.sh | grep 'model.window' | cut -d'(' -f1
	parplan sim --gpu h100-sxm --env MORE="$more" --format json $d/run.sh | jq -c '[(.step_time_s * 1000 | round), .not_counted]'
done
# a file may have more than a window can be
for size in '[1023, 0]' '[9223372036854775807, 0]'; do
	printf 'MODEL_ARGS:\n' >$d/args.yaml
	for one in 'num-layers: 12' 'hidden-size: 1024' 'num-attention-heads: 16' 'seq-length: 32768' 'max-position-embeddings: 32768' \
		'micro-batch-size: 1' 'global-batch-size: 64' 'bf16: true' 'vocab-size: 32000' "window-size: $size"; do
		echo "  --$one" >>$d/args.yaml
	done
	parplan sim --gpu h100-sxm --world 8 --format json $d/args.yaml | jq -c '[(.step_time_s * 1000 | round), .not_counted]'
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
for kernel in sdpa flash_attention_2 flex_attention; do
	sed "s/KERNEL/$kernel/" $d/gemma.yaml >$d/now.yaml
	for window in 0 1024 8192 8193; do
		echo "$kernel, window $window: $(parplan sim --set model.window=$window --format json $d/now.yaml |
			jq -c '[(.step_time_s * 1000 | round), (.memory.classes[0].activations * 100 | round | . / 100)]')"
	done
done
# who asks for FlashAttention by another word, or without one
keeps() {
	say="$1 $(parplan sim --world 8 --set cluster.gpu=h200-sxm --set cluster.gpus_per_node=8 --format json $2 |
		jq '.memory.classes[0].activations * 100 | round | . / 100')"
	echo "$say, without windows $(parplan sim --world 8 --set cluster.gpu=h200-sxm --set cluster.gpus_per_node=8 --set model.window=0 --format json $2 |
		jq '.memory.classes[0].activations * 100 | round | . / 100')"
}
printf '%s\n' 'base_model: google/gemma-3-4b-it' 'micro_batch_size: 1' 'gradient_accumulation_steps: 1' 'sequence_len: 8192' 'bf16: true' >$d/axolotl.yaml
keeps axolotl $d/axolotl.yaml
echo 'flash_attention: true' >>$d/axolotl.yaml
keeps 'axolotl, flash_attention' $d/axolotl.yaml
verl='python3 -m verl.trainer.main_ppo trainer.nnodes=1 trainer.n_gpus_per_node=8 data.train_batch_size=64 data.max_prompt_length=4096
 data.max_response_length=4096 actor_rollout_ref.model.path=google/gemma-3-4b-it actor_rollout_ref.model.enable_gradient_checkpointing=False
 actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1'
echo $verl >$d/verl.sh
keeps verl $d/verl.sh
echo $verl +actor_rollout_ref.model.override_config.attn_implementation=sdpa >$d/verl.sh
keeps 'verl, sdpa' $d/verl.sh
# ranks that attend to their own part of a sequence alone: a window as long as that part takes nothing away
printf '%s\n' 'parplan: 1' 'framework: {nanotron: latest}' 'cluster: {gpu: h100-sxm, nodes: 1, gpus_per_node: 8}' 'model: {preset: llama3-8b, layers: 8}' \
	'parallelism: {dp_replicate: 2, cp: 4}' 'training: {seq_len: 32768, micro_batch_size: 1, kernels: flash_attention_2}' >$d/alone.yaml
for window in 0 8192 1024; do
	echo "alone, window $window: $(parplan sim --set model.window=$window --format json $d/alone.yaml | jq '.step_time_s * 1000 | round')"
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
