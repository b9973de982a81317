# A format that is tried is none that the config has: yours keeps its step, and what the best needs is said.
for formats in fp8 fp8,bf16 bf16; do
	parplan search --fix pp=1 --top 1 --vary matmul_dtype=$formats plans/hsdp-2x8.yaml | sed -n '/^Yours/,/^$/p'
done
parplan sim plans/hsdp-2x8.yaml | grep ' time '
# Without a length no forecast is made of this one: yours has the first that is tried, but no format.
printf '{"train_batch_size": 64, "train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}}' |
	parplan search --gpus 16 --gpu h200 --set model.preset=llama3-8b --vary seq_len=4096,8192 --vary matmul_dtype=fp8,bf16 --top 1 - | sed -n '/^Yours/,/^$/p'
