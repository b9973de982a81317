# What cuts a pipeline elsewhere changes nothing under a framework without a key for it, in whatever file: it is refused, and not tried.
d=$(mktemp -d) && cd "$d" || exit 2
printf '[model]\nname = "llama3"\nflavor = "8B"\n\n[training]\nlocal_batch_size = 8\nseq_len = 4096\n' >titan.toml
printf 'framework: {torchtitan: v0.2.2}\nparplan: 1\ncluster: {nodes: 1, gpus_per_node: 8}\nmodel: llama3-8b\ntraining: {seq_len: 4096, local_batch_size: 8}\n' >native.yaml
sed 's/torchtitan: v0.2.2/megatron: core_v0.13.0/' native.yaml >megatron.yaml
echo 'torchrun --nproc_per_node=8 -m torchtitan.train --job.config_file titan.toml' >run.sh
for vary in pipeline.microbatches=4,8 first_stage_layers=12,14 microbatch_size=1,2; do
	for file in titan.toml run.sh native.yaml megatron.yaml; do
		[ $file != titan.toml ] && [ $file != run.sh ] || pin='--framework torchtitan@v0.2.2 --world 8'
		echo "== $vary $file"
		COLUMNS=200 parplan search -q ${pin-} --gpu h200 --vary $vary --fix pp=2 --fix tp=1 --fix cp=1 --fix virtual_stages=1 --top 1 $file 2>&1 | grep '1~\|search: \|^No'
		unset pin
	done
done
rm -r "$d"
