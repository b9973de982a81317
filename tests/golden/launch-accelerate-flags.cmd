# Behind accelerate launch the flags of transformers' Trainer say batch, length, precision and recomputation, and the launcher's file who shares the model; a script with flags of its own is left alone.
cd testdata/launch/accelerate || exit
for file in trainer-fsdp2.sh trainer-lora.sh trainer-hybrid.sh own-script.sh; do
	echo "== $file"
	parplan explain "$file" | grep -E '^(world|training|parallelism\.(dp_|fsdp|zero|engine)|model\.preset)' | grep -v ', default$'
	parplan check "$file" | grep -E '(note|warning|error): ' || :
done 2>&1
echo '== forecasts'
parplan sim --gpu h100-sxm trainer-fsdp2.sh | grep -E '  (time|device) '
parplan sim --gpu h100-sxm trainer-lora.sh 2>&1
echo '== search'
d=$(mktemp -d)
cp -r conf trainer-fsdp2.sh "$d" && cd "$d" || exit
parplan search --gpu h100-sxm --gpus 8 --global-batch 256 --top 1 --write best trainer-fsdp2.sh 2>&1 | sed -n '/^Best/,/^One/p'
cat best/01-trainer-fsdp2.sh.args
parplan sim --gpu h100-sxm trainer-fsdp2.sh -- $(cat best/01-trainer-fsdp2.sh.args) | grep -E '  (time|device) '
cd / && rm -r "$d"
