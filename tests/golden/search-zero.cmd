# Who shares follows ZeRO's stage: a forecast of a varied one is that of a file that says it, and where the file says who shares, it says so of the new one, too.
d=$(mktemp -d)
options="--gpu h100-sxm --set model.preset=llama3-8b --set training.seq_len=2048 --set training.activation_checkpoint.mode=full"
for stage in 1 2 3; do
  sed "s/\"stage\": 2/\"stage\": $stage/" testdata/dialects/deepspeed/zero2-triple.json >$d/$stage.json
  parplan sim --world 16 $options $d/$stage.json | grep 'time  \|device  '
done
parplan search --gpus 16 $options testdata/dialects/deepspeed/zero2-triple.json | sed -n '/^Best/,/^  ~/p'
parplan search --gpus 16 $options --global-batch 8 --top 2 --write $d/best testdata/dialects/accelerate/zero3-ulysses.yaml
diff testdata/dialects/accelerate/zero3-ulysses.yaml $d/best/02-zero3-ulysses.yaml
echo "== the best stage by --fix is the best of all"
parplan search --gpus 16 $options --global-batch 8 --top 1 --fix zero_stage=1 testdata/dialects/accelerate/zero3-ulysses.yaml | grep 1~
rm -r $d
