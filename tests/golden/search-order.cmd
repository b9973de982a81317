f=$(mktemp) && parplan search plans/hsdp-2x8.yaml --fix pp=1 --shard 1/1 --format jsonl >$f; parplan search --fix pp=1 --merge $f plans/hsdp-2x8.yaml; rm $f
parplan search --gpus "" plans/hsdp-2x8.yaml; parplan search --gpu "" plans/hsdp-2x8.yaml
