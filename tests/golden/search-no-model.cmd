# Without a file there is no line to point at: what is wrong is the option.
for model in llama9-8b lama3-8b '{arch: llama}' Llama3-8B; do
	parplan search --model "$model" --gpus 8 --gpu h200 --seq-len 8192 --global-batch 64 --framework torchtitan@v0.2.2 --fix pp=1 --fix cp=1 --fix tp=1 --top 1 2>&1 | sed -n '/search:/p;/^   1/p'
done
