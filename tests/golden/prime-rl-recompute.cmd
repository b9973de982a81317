# prime-rl recomputes each block unless model.ac says otherwise; which targets inside blocks are, nobody knows here. What it offloads it recomputes.
for ac in 'ac = "None"' 'ac = "None"
ac_offloading = "None"' '[model.ac]' '[model.ac]
freq = 2' '[model.ac]
mode = "selective"'; do
	printf 'max_steps = 1\n[optim]\nlr = 1.0\n[data]\nbatch_size = 8\n[model]\nname = "Qwen/Qwen3-0.6B"\n%s\n' "$ac" |
		parplan explain - | grep activation_checkpoint
	echo
done
# A script of its trainer is told the trainer's keys.
d=$(mktemp -d)
parplan search -q --gpus 16 --gpu h100-sxm --global-batch 64 --top 1 --write "$d" testdata/dialects/prime-rl/torchrun.sh >/dev/null
cat "$d"/*.args
rm -r "$d"
