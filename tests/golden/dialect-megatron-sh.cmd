# Scripts that start Megatron-LM or Megatron-DeepSpeed.
for file in train deepspeed fsdp broken; do
	echo "== $file"
	parplan check testdata/dialects/megatron-sh/$file.sh
	parplan plan --format json testdata/dialects/megatron-sh/$file.sh | jq -c '[.dialect, .world_size, .declared, .degrees, .error.message]'
done 2>&1
parplan check --env TP=8 --env NUM_NODES=1 testdata/dialects/megatron-sh/train.sh
