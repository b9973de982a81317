# A batch in tokens: the best's own microbatch, by --fix, gives the best.
for option in "" "--fix tokens_per_microbatch=16384" "--vary tokens_per_microbatch=8192,16384"; do
  parplan search --gpus 8 --gpu h100-sxm --set model.preset=llama3-1b --fix training.seq_len=2048 --global-batch 64 --fix pp=1 --fix cp=1 --fix tp=1 --fix dp_replicate=1 --top 1 $option testdata/titan/dumped.json | sed -n '/ 1~/,/^$/p'
done
