# Megatron-LM drops a tenth of what blocks add unless it is told not to; what drops keeps masks, and scores twice.
f=$(mktemp)
line='torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 8 --hidden-size 2048 --num-attention-heads 16 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 8 --vocab-size 32000 --bf16 --attention-backend unfused'
for flags in '' '--hidden-dropout 0.0' '--hidden-dropout 0.0 --attention-dropout 0.0' '--swiglu' '--swiglu --hidden-dropout 0'; do
	echo "== $flags"
	echo "$line $flags" >$f
	parplan explain $f | grep dropout | sed "s|$f|FILE|"
	parplan sim --set cluster.gpu=h100-sxm --format json $f | jq '.memory.classes[0].activations'
done
for dropout in 0 0.1; do
	echo "== GPT-NeoX, $dropout"
	printf '%s\n' '{"pipe_parallel_size": 0, "model_parallel_size": 1, "num_layers": 8, "hidden_size": 2048, "num_attention_heads": 16, "seq_length": 4096, "max_position_embeddings": 4096, "train_micro_batch_size_per_gpu": 1,' "\"attention-dropout\": $dropout, \"hidden-dropout\": $dropout, \"precision\": \"bfloat16\"}" >$f
	parplan sim --world 8 --dialect gpt-neox --set cluster.gpu=h100-sxm --set model.vocab=32000 --set model.ffn=8192 --format json $f | jq '.memory.classes[0].activations'
done
parplan convert --to megatron plans/fsdp-8.yaml 2>/dev/null | grep dropout
rm $f
