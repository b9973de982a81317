# A script is told what its framework reads there: the keys of LLaMA-Factory's other engines are none of a Trainer's with DeepSpeed, and its own key alone turns recomputation off.
d=$(mktemp -d)
sed 's,examples/deepspeed/ds_z3_config.json,z3.json,; s,model_name_or_path: .*,model_name_or_path: m,' testdata/dialects/llama-factory/full-zero3.yaml >$d/sft.yaml
cp testdata/dialects/accelerate/zero3.json $d/z3.json
echo 'FORCE_TORCHRUN=1 NPROC_PER_NODE=8 llamafactory-cli train sft.yaml' >$d/run.sh
cd $d
parplan search --gpu h100-sxm --set model.preset=llama3-8b --gpus 16 --top 4 run.sh
parplan search --gpu h100-sxm --set model.preset=llama3-8b --gpus 16 --fix pp=2 run.sh
parplan search --gpu h100-sxm --set model.preset=llama3-8b --world 8 --fix gradient_accumulation_steps=1 --global-batch 8 --top 1 --write best sft.yaml >/dev/null 2>&1
diff sft.yaml best/01-sft.yaml
echo 'gradient_checkpointing: false' >>sft.yaml
parplan explain sft.yaml activation_checkpoint.mode | sed 1q
echo 'disable_gradient_checkpointing: true' >>sft.yaml
parplan explain sft.yaml activation_checkpoint.mode | sed 1q
rm -r $d
