# Scripts are left as they are: their framework's own words say what to change, and the script with these behind "--" has the settings.
model() { case $1 in *llama-factory) echo qwen3-0.6b ;; *) echo llama3-8b ;; esac; }
for file in launch/torchtitan/line launch/commands/llama-factory launch/commands/axolotl launch/commands/trl launch/commands/litgpt launch/trainer/zero launch/commands/tune launch/overrides/bridge dialects/ms-swift/moe dialects/verl/megatron; do
	[ -e testdata/$file.sh ] || continue
	d=$(mktemp -d)
	COLUMNS=200 parplan search -q --top 1 --gpus 16 --gpu h100-sxm --global-batch 64 --set model.preset="$(model $file)" --set training.seq_len=2048 --set training.tuner=full --write "$d/best" testdata/$file.sh >"$d/out"
	echo "== $file: $(grep -h -m 1 '   1' "$d/out" | sed 's/.*%  *[0-9.]*  *//')"
	[ -e "$d"/best/*.args ] && cat "$d"/best/*.args || echo "no words"
	grep -vh '^no ' "$d"/best/*.args 2>/dev/null | COLUMNS=200 xargs parplan explain testdata/$file.sh -- 2>/dev/null | sed -n 's/^\(parallelism[^ ]*\|training[^ ]*\) = \([^,]*\), given.*<command line>.*/  \1 = \2/p'
	rm -r "$d"
done
