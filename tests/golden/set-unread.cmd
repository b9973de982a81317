# What --set gives and nothing reads is said by all commands, whatever the file is in; what is read, in their words or ours, is not.
d=$(mktemp -d) && cd "$d" || exit 2
echo 'torchrun --nproc_per_node=8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --bf16 --vocab-size 32000' >run.sh
printf '[model]\nname = "llama3"\nflavor = "8B"\n\n[training]\nseq_len = 8192\n\n[parallelism]\ntensor_parallel_degree = 1\n' >titan.toml
parplan check --set tp=2 run.sh
for set in tp=2 training.fooo=1 training.seq_len=2048 tensor_model_parallel_size=2 rotary_base=10000 'training={seq_len: 2048}'; do
	echo "== $set"
	parplan sim --set cluster.gpu=h200 --set "$set" run.sh | grep '  time'
done
for file in run.sh titan.toml; do
	for command in 'sim --set cluster.gpu=h200' 'search --gpu h200 --fix pp=1 --fix cp=1 --top 1' plan explain 'draw --figure mesh'; do
		echo "== $command $file"
		parplan $command --world 8 --set tp=2 $file $([ "$command" != explain ] || echo parallelism.pp) 2>&1 >/dev/null | grep warning
	done
done
parplan sim -q --set cluster.gpu=h200 --set tp=2 run.sh 2>&1 >/dev/null
rm -r "$d"
