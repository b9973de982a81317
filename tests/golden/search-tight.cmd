# What promises to be fast does not fit: incumbents are found from what needs least memory, without which hundreds of thousands would be forecast.
parplan search --model deepseek_v3-671b --framework megatron@core --gpus 1024 --gpu h100-sxm --seq-len 4096 --global-batch 8192 --fix cp=4 --vary pp=1,2,4 --fix mode=full --top 1 | sed -n '/^Best/,/^$/p; /^Candidates/,$p'
