# verl's supervised training: Ulysses cuts packed tokens alone, over the ranks that share parameters.
line() {
	echo "torchrun --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer model.partial_pretrain=Qwen/Qwen2.5-7B data.max_length=4096 \
data.micro_batch_size_per_gpu=2 data.train_batch_size=16 ulysses_sequence_parallel_size=2 use_remove_padding=$1" >"$d/sft.sh"
}
d=$(mktemp -d)
for packed in False True; do
	line $packed
	parplan plan "$d/sft.sh" | sed -n '/^Meshes/,$p'
done
parplan search -q --gpu h100-sxm --top 2 --fix micro_batch_size=1 --write "$d/best" --set model.preset=qwen2.5-7b "$d/sft.sh" | sed -n '/^Best/,/^$/p'
cat "$d"/best/*.args
rm -r "$d"
