# YAML in braces from its first line on, with comments and Python's words, and DeepSpeed's JSON with comments: a key that is not there is put in as in any other config.
d=$(mktemp -d)
sed 1d testdata/dialects/gpt-neox/zero3.yml | sed 's/"num_layers": 40,/"num_layers": 40, # of the 13B\n  "use_bias_in_mlp": False,/; /micro_batch/d' >$d/braces.yml
printf '{\n  // of all ranks together\n  "train_batch_size": 64,\n  "zero_optimization": {}, # as everywhere\n  "bf16": { "enabled": true },\n}\n' >$d/ds.json
options="--gpus 16 --gpu h200 --set model.preset=llama3-8b --set training.seq_len=2048 --set cluster.gpus_per_node=8 --top 1"
for f in braces.yml ds.json; do
	parplan search $options --fix micro_batch_size=4 --write $d/best $d/$f 2>/dev/null | sed -n '/^Best/,/^$/p'
	diff $d/$f $d/best/01-$f
	rm -r $d/best
done
rm -r $d
