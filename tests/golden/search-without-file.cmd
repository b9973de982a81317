parplan search --model llama3-8b --framework torchtitan@v0.2.2 --gpus 16 --gpu h100-sxm --seq-len 8192 --global-batch 16 --fix pp=1 --top 3
