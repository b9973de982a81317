# GPT-NeoX: who shares follows the stage there, too; without a pipeline ZeRO-2 and 3 run, and one stage is not asked for.
d=$(mktemp -d)
parplan search --gpus 16 --gpu h100-sxm --set model.preset=llama3-8b --set cluster.gpus_per_node=8 --top 3 --write $d/best testdata/dialects/gpt-neox/zero3.yml 2>/dev/null | sed -n '/^Best/,/^  ~/p; /^Candidates/,$p'
diff testdata/dialects/gpt-neox/zero3.yml $d/best/02-zero3.yml
rm -r $d
# a script of ms-swift's Trainer is told none of its Megatron's flags
parplan search --gpus 16 --gpu h100-sxm --set model.preset=llama3-8b --set training.seq_len=2048 --set cluster.gpus_per_node=8 --global-batch 64 --top 2 testdata/dialects/ms-swift/trainer.sh | sed -n '/^Best/,/^  ~/p; /^Candidates/,$p'
# Its keys are as good with dashes: those that are there get the value.
d=$(mktemp -d)
parplan search -q --gpus 16 --gpu h100-sxm --set model.preset=llama3-8b --set cluster.gpus_per_node=8 --top 1 --write $d/best testdata/dialects/gpt-neox/19b.yml >/dev/null
diff testdata/dialects/gpt-neox/19b.yml $d/best/01-19b.yml
rm -r $d
