# What a config asks for and no forecast counts is said, not passed over: of Megatron's arguments and of DeepSpeed's and others' files. Where
# parameters and the optimizer's state both wait in host memory that is counted. What is off asks for nothing.
d=$(mktemp -d)
cat >$d/run.sh <<'SCRIPT'
torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 \
	--max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 64 --bf16 --vocab-size 32000 $MORE
SCRIPT
for more in '' '--window-size 1024,0 --batch-invariant-mode'; do
	echo "== $more"
	parplan sim --gpu h100-sxm --env MORE="$more" $d/run.sh | sed -n '/^Not counted/,$p'
	parplan sim --gpu h100-sxm --env MORE="$more" --format json $d/run.sh | jq -c .not_counted
done
parplan search --gpu h100-sxm --top 1 --env MORE=--delay-wgrad-compute $d/run.sh | sed -n '/^Not counted/,/^$/p'
for zero in '"zero_quantized_weights": true' '"zero_quantized_weights": false' '"offload_param": {"device": "cpu"}' \
	'"offload_param": {"device": "cpu"}, "offload_optimizer": {"device": "cpu"}' '"offload_param": {"device": "none"}'; do
	printf '{"bf16": {"enabled": true}, "train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3, %s}}' "$zero" >$d/ds.json
	echo "$zero: $(parplan sim --world 8 --set model.preset=llama3-8b --set training.seq_len=4096 --gpu h100-sxm --format json $d/ds.json | jq -c .not_counted)"
done
# what is not trained, or takes turns, in three that stand on transformers
printf 'base_model: x\ndatasets: []\nmicro_batch_size: 1\nsequence_len: 4096\nbf16: true\nunfrozen_parameters: [lm_head]\ntiled_mlp: false\n' >$d/axolotl.yaml
printf 'model_name_or_path: x\nstage: sft\nfinetuning_type: full\nuse_badam: true\nper_device_train_batch_size: 1\ncutoff_len: 4096\nbf16: true\n' >$d/factory.yaml
printf 'NPROC_PER_NODE=8 swift sft --model x --train_type full --freeze_parameters_ratio 0.5 --torch_dtype bfloat16 --max_length 4096\n' >$d/swift.sh
for file in axolotl.yaml factory.yaml swift.sh; do
	parplan sim --world 8 --set model.preset=llama3-8b --gpu h100-sxm --format json $d/$file | jq -c .not_counted
done
rm -r $d
