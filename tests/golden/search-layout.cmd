# Megatron's layout of stages is of one pipeline: without one it is taken out, and so is a schedule of several stages.
d=$(mktemp -d)
options="--gpu h100-sxm --global-batch 64 --fix cp=1 --fix tp=1 --top 1"
parplan search --gpus 16 --set model.preset=llama3-1b --fix seq_len=2048 $options --write $d/native testdata/megatron/layout.yaml | sed -n '/ 1~/,/^$/p;/^Yours/,/^$/p'
cat $d/native/*.yaml
echo 'torchrun --nproc_per_node 8 pretrain_gpt.py --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout "Et*6|t*6|t*6|t*6L" --num-layers 24 --hidden-size 2048 --num-attention-heads 32 --vocab-size 51200 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 64 --bf16' >$d/run.sh
parplan search $options --write $d/script $d/run.sh 2>/dev/null | sed -n '/ 1~/,/^$/p'
cat $d/script/*.args
rm -r $d
