# What all layouts have stands above them, whatever else is varied; yours is on a device of several where it names none.
for option in "--gpu h100-sxm,h200" "--vary compile=true,false" "--vary seq_len=4096,8192" "--gpu h100-sxm,h200 --vary seq_len=4096,8192"; do
  echo "== $option"
  parplan search --world 8 --set parallelism.data_parallel_replicate_degree=1 --fix pp=1 --fix cp=1 --fix tp=1 --top 1 --gpu h100-sxm $option plans/torchtitan-llama3-8b.toml 2>&1 | grep -E '^(h100|a step|Yours|parplan)'
done
# No risk at all, and an exception that begins on its second line.
parplan search --risk 0 --fix pp=1 plans/ddp-8.yaml | sed -n '/^No layout/,/^Candidates/p'
parplan search --gpus 7 plans/ddp-8.yaml | sed -n '/^No layout/,/^$/p'
