# ZeRO's stage stands in a file that the config names: beside it another one is said, and where nobody has read the file, none is tried. Of its ParallelismConfig accelerate hands DeepSpeed the ranks of sp alone.
d=$(mktemp -d)
options="--gpus 16 --gpu h100-sxm --set model.preset=llama3-8b --set training.seq_len=2048 --set training.activation_checkpoint.mode=full --global-batch 16"
cp testdata/dialects/accelerate/deepspeed-file.yaml testdata/dialects/accelerate/zero3.json $d
cd $d
parplan search $options --top 2 --write best deepspeed-file.yaml | sed -n '/^Best/,$p'
sed "s,$PWD,ROOT," best/02-deepspeed-file.yaml.flags
xargs parplan check --strict -q best/02-deepspeed-file.yaml <best/02-deepspeed-file.yaml.flags
rm zero3.json
parplan search $options deepspeed-file.yaml | sed 1,2d
echo 'parallelism_config: { parallelism_config_tp_size: 2 }' >>deepspeed-file.yaml
parplan plan --world 16 deepspeed-file.yaml | grep axis
parplan search $options --fix tp=2 --set parallelism.zero_stage=3 deepspeed-file.yaml
rm -r $d
