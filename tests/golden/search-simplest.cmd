# Of layouts that are as good as the best the one along the fewest axes is named, where it is another one; the order stays.
parplan search --model llama3-8b --framework torchtitan@v0.2.2 --gpus 8 --gpu h200 --seq-len 8192 --global-batch 64 --fix cp=1 --top 5 | sed -n '/^ *[1-5]~/p;/as good as/,/^$/p'
parplan search --model llama3-8b --framework torchtitan@v0.2.2 --gpus 8 --gpu h200 --seq-len 8192 --global-batch 64 --fix cp=1 --top 5 --format json | grep -o '"simplest":[0-9]*'
# Here it is the best itself.
parplan search --model llama3-8b --framework torchtitan@v0.2.2 --gpus 8 --gpu h200 --seq-len 8192 --global-batch 64 --fix cp=1 --fix pp=1 --top 5 | grep -c 'as good as'
