# Nodes that are not there, and a job without a file.
parplan search --lost node1 plans/fsdp-8.yaml
parplan search --lost node4 plans/hsdp-on-hosts.yaml
parplan search --lost node0 --model llama3-8b --gpus 16 --gpu h100-sxm --seq-len 8192 --global-batch 16 --framework torchtitan@v0.2.2
parplan search --lost node0 --gpus 8 plans/hsdp-2x8.yaml
# The option that says how many ranks there are is named.
parplan search --gpus 8 --gpu h100-sxm --set model.preset=llama3-1b --fix seq_len=2048 --global-batch 64 --fix pp=1 --top 1 testdata/megatron/layout.yaml | sed 1q
parplan plan --set cluster.nodes=4 testdata/dialects/litgpt/pretrain.yaml | sed 1q
