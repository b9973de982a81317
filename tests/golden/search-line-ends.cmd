# Lines that end as on Windows do so in what is written, the new ones as well; and nothing in the user's own file is made harmless for a screen.
d=$(mktemp -d)
sed 's/$/\r/' testdata/dialects/gpt-neox/zero3.yml >$d/returns.yml
printf '# token hf_%s\n' abcdefghijklmnopqrstuvwxyzABCDEFGH | cat - testdata/dialects/nanotron/llama.yaml >$d/token.yaml
printf '{\r\n  "zero_optimization": { "stage": 2 },\r\n  "bf16": { "enabled": true }\r\n}\r\n' >$d/ds.json
options="--gpus 16 --gpu h200 --set model.preset=llama3-8b --set training.seq_len=2048 --set cluster.gpus_per_node=8 --top 1 --global-batch 64"
for f in returns.yml token.yaml ds.json; do
	parplan search -q $options --write $d/best $d/$f >/dev/null
	diff $d/$f $d/best/01-$f | sed 's/\r/\\r/'
	xargs parplan check --strict -q $d/best/01-$f <$d/best/01-$f.flags
	rm -r $d/best
done
rm -r $d
