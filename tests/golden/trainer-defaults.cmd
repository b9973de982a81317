# What trainers over transformers do unless told otherwise, or say in words of their own: checkpointing, shipped files of
# DeepSpeed that leave state in host memory, Ulysses, attention that writes its scores, LoRA.
S="--set model.preset=llama3-8b --set cluster.gpu=h100-sxm --set cluster.gpus_per_node=8 --set training.seq_len=8192 --world 8"
sums() { sed -n 's/^  \(activations\|optimizer state\|device\) */  \1 /p; s/^parplan/  parplan/p'; }
swift() {
	echo "NPROC_PER_NODE=8 swift sft --model x --train_type full --torch_dtype bfloat16 --per_device_train_batch_size 1 $*" >$d/swift.sh
	echo "swift $*"
	parplan sim $S $d/swift.sh 2>&1 | sums
}
d=$(mktemp -d)
swift --deepspeed zero3
swift --deepspeed zero3 --gradient_checkpointing false
swift --deepspeed zero2_offload
swift --deepspeed zero3_offload
swift --deepspeed zero3 --sequence_parallel_size 4
for key in 'flash_attention: false' 'eager_attention: true'; do
	printf 'base_model: x\ndatasets: []\nmicro_batch_size: 1\nsequence_len: 8192\nbf16: true\n%s\n' "$key" >$d/a.yaml
	echo "axolotl $key"
	parplan sim $S $d/a.yaml 2>&1 | sums
done
for lora in 0 16; do
	echo "deepspeed --num_gpus 8 --module openrlhf.cli.train_sft --pretrain x --max_len 8192 --ds.zero_stage 3 --ds.lora.rank $lora" >$d/o.sh
	echo "openrlhf --ds.lora.rank $lora"
	parplan sim $S --set training.micro_batch_size=1 $d/o.sh 2>&1 | sums
done
for version in 0.21.0 0.22.0; do
	printf 'model_name_or_path: x\nper_device_train_batch_size: 1\nbf16: true\nfsdp: full_shard\n' >$d/t.yaml
	echo "trl $version"
	parplan sim $S --framework trl@$version $d/t.yaml 2>&1 | sums
done
# blocks of transformers under AReaL's FSDP
echo "areal"
parplan sim --set cluster.gpu=h100-sxm --set training.seq_len=4096 testdata/dialects/areal/before.yaml | sums
rm -r $d
