parplan check --framework megatron plans/ddp-8.yaml
parplan check --framework torchtitan plans/ddp-8.yaml
parplan search --model llama3-8b --gpus 8 --gpu h100-sxm --global-batch 16
