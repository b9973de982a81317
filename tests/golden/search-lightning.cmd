# Lightning's strategies have their degrees and their stage among their arguments, where "auto" is a number as well.
d=$(mktemp -d)
for f in model-parallel deepspeed-class; do
	parplan search -q --gpus 16 --gpu h100-sxm --set model.preset=llama3-8b --set training.seq_len=2048 --global-batch 64 --top 1 --write $d/$f testdata/dialects/lightning/$f.yaml | sed -n '/^Best/,/^$/p; /^Candidates/,/layout/p'
	diff testdata/dialects/lightning/$f.yaml $d/$f/01-$f.yaml
	xargs parplan check --strict -q $d/$f/01-$f.yaml <$d/$f/01-$f.yaml.flags
done
rm -r $d
