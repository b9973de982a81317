# Megatron's layout of stages is of one pipeline: with another one or none it is taken out, and so is a schedule of other stages.
d=$(mktemp -d)
options="--gpu h100-sxm --global-batch 64 --fix cp=1 --fix tp=1 --top 1"
parplan search --gpus 16 --set model.preset=llama3-1b --fix seq_len=2048 $options --write $d/native testdata/megatron/layout.yaml | sed -n '/ 1~/,/^$/p;/^Yours/,/^$/p'
cat $d/native/*.yaml
echo 'torchrun --nproc_per_node 8 pretrain_gpt.py --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout "Et*6|t*6|t*6|t*6L" --num-layers 24 --hidden-size 2048 --num-attention-heads 32 --vocab-size 51200 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 64 --bf16' >$d/run.sh
parplan search $options --write $d/script $d/run.sh 2>/dev/null | sed -n '/ 1~/,/^$/p'
cat $d/script/*.args
echo "== another pipeline, of several stages or one to a rank"
for fix in 'pp=2 --fix virtual_stages=1' 'pp=8'; do
	for all in '' --exhaustive; do
		parplan search --gpus 16 --set model.preset=llama3-1b --fix seq_len=2048 $options --fix $fix $all --write $d/other testdata/megatron/layout.yaml | sed -n '/ 1~/,/^$/p'
		grep -A1 ' pp:' $d/other/01-*.yaml
		parplan check --strict -q $d/other/01-*.yaml
		parplan sim --set model.preset=llama3-1b $d/other/01-*.yaml | grep '^  time'
		rm -r $d/other
	done
	parplan search $options --fix $fix --write $d/other $d/run.sh 2>/dev/null | sed -n '/ 1~/,/^$/p'
	cat $d/other/*.args
	rm -r $d/other
done
rm -r $d
