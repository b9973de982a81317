# litgpt's pretrain.py repeats over nodes, however many ranks an option says: so a search of other nodes is of what its file can say.
pretrain=testdata/dialects/litgpt/pretrain.yaml
for world in 8 12 16 32; do
  parplan plan --world $world $pretrain | sed -n '/^Degrees/{n;p;}'
done
parplan plan --world 32 testdata/dialects/litgpt/full.yaml | sed -n '/^Degrees/{n;p;}'
d=$(mktemp -d)
parplan search --gpus 32 --gpu h100-sxm --top 1 --write $d/best $pretrain | sed -n '/^Best/,/^$/p'
diff $pretrain $d/best/01-pretrain.yaml
rm -r $d
