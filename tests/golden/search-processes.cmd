# On other numbers of devices accelerate's file starts other numbers of processes, on as many machines as that takes: it passes as it lies there.
d=$(mktemp -d) || exit
trap 'rm -rf "$d"' EXIT
printf 'compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n  fsdp_reshard_after_forward: true\n# eight of one machine\nnum_machines: 1\nnum_processes: 8\nmixed_precision: bf16\n' >"$d/job.yaml"
for gpus in 8 16 12; do
	parplan search --gpus $gpus --gpu h200 --set model.preset=llama3-8b --fix seq_len=4096 --global-batch 48 --top 1 --write "$d/$gpus" "$d/job.yaml" | sed -n '/^Yours/,/^$/p' | grep needs
	diff "$d/job.yaml" "$d/$gpus/01-job.yaml"
	parplan check --strict -q --set model.preset=llama3-8b "$d/$gpus/01-job.yaml"; echo "exit status $?"
done
