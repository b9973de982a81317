# What Megatron refuses of a layout of stages, which its own parser read too, and how a native file says that parts are equal.
megatron() {
	echo "== $1 ${2-}"
	cat >"$TMPDIR/job.sh" <<-END
	torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py \\
	    --num-layers 16 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 \\
	    --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 64 \\
	    --tensor-model-parallel-size 4 --pipeline-model-parallel-size 4 --bf16 \\
	    --pipeline-model-parallel-layout "$1" ${2-}
	END
	parplan check --format gcc --framework "megatron@${3-d98e8a64}" "$TMPDIR/job.sh" | sed "s,^.*/,,"
}
megatron "Et*4|(t*4|)*2,t*4L"
megatron "Ett|(tt|)*6,ttL"
megatron "Et*4|(t*4|)*2 t*4L"
megatron "Et*4|((t*2)*2|)*2t*4L"
megatron "Et*4|t*4é|t*4|t*4L"
megatron "Et*4|(t*4|)*3t*4L"
megatron "Et*4|(t*4|)*2t*3L"
megatron "t*4|(t*4|)*2t*4L"
megatron "Et*4|(t*4|)*2t*4"
megatron "EEt*4|(t*4|)*2t*4L"
megatron "Et*4|(t*4|)*2t*4mL"
megatron "Et*4|(t*4|)*2t*4mL" "--mtp-num-layers 1"
megatron "Et*4|(t*4|)*2mt*4L" "--mtp-num-layers 1"
megatron "Et*4|(t*4|)*2t*4m||||L" "--mtp-num-layers 1"
megatron "Et*5|t*5|t*6m|mL" "--mtp-num-layers 2"
megatron "Et*5|t*5|t*6m|mL" "--mtp-num-layers 2" core@2025-10
megatron "Et*4|(t*4|)*2t*4mL" "--mtp-num-layers 1" core@2025-07
megatron "Et*4|(t*4|)*2t*4L" "--account-for-embedding-in-pipeline-split"
for split in even "embedding and head count as layers" "type:transformer" "type:transformer|embedding" "as ever"; do
	echo "== $split"
	parplan check --set "parallelism.pipeline.layer_split=$split" testdata/megatron/ends.yaml
	parplan plan --set "parallelism.pipeline.layer_split=$split" testdata/megatron/ends.yaml |
		sed -n '/^Pipeline stages/,/^$/p'
done 2>&1
echo "== a list of layers"
parplan check --set "parallelism.pipeline.layer_split=[4,4,3,3]" testdata/megatron/ends.yaml
# Megatron-Bridge hands Megatron Core lists of names, too.
bridge() {
	echo "== $1"
	cat >"$TMPDIR/bridge.yaml" <<-END
	dataset: {seq_length: 4096}
	train: {train_iters: 100, global_batch_size: 8, micro_batch_size: 1}
	model: {num_layers: 4, hidden_size: 1024, num_attention_heads: 16, ffn_hidden_size: 4096, vocab_size: 32000, tensor_model_parallel_size: 1, pipeline_model_parallel_size: 2, context_parallel_size: 1, pipeline_model_parallel_layout: $1}
	END
	parplan check --world 8 --format gcc "$TMPDIR/bridge.yaml" | sed "s,^.*/,," | grep error
	parplan plan --world 8 "$TMPDIR/bridge.yaml" | sed -n '/^Pipeline stages/,/^$/p'
}
bridge "[[embedding, decoder], [decoder, Decoder, decoder, loss]]"
bridge "[[embedding, decoder], [decoder, decoder, loss]]"
bridge "[[embedding, decoder, decoder], [decoder], [decoder, loss]]"
bridge "[[embedding, layer], [decoder, decoder, loss]]"
