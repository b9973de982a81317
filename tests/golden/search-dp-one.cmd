# A script whose own degrees fill its ranks: data parallelism of other layouts follows from theirs.
f=$(mktemp) && mv $f $f.sh && echo 'NPROC_PER_NODE=8 megatron sft --model m --tensor_model_parallel_size 4 --pipeline_model_parallel_size 2 --micro_batch_size 2 --global_batch_size 16' >$f.sh
parplan search --gpu h100-sxm --gpus 8 --set model.preset=llama3-8b --fix training.seq_len=4096 --fix pp=1 --fix cp=1 --top 2 $f.sh | sed -n '/^Best/,/^$/p;/layouts;/p;/degrees/p'
rm $f.sh
