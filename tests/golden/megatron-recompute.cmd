# What Megatron refuses of activation checkpointing, and what units of layers, or the first layers of
# each virtual stage, or modules of each layer, cost and keep. --recompute-activations is the selective kind, whatever else is asked for.
cd testdata/megatron
full='--recompute-granularity full'
for asked in "" "$full" "$full --recompute-method block" "$full --recompute-method uniform --recompute-num-layers 1" \
	"$full --recompute-method uniform --recompute-num-layers 3" "$full --recompute-method block --recompute-num-layers 1" \
	"$full --recompute-method block --recompute-num-layers 6" "--recompute-activations" \
	"--recompute-activations --recompute-method uniform" "--recompute-activations --recompute-num-layers 1" \
	"--recompute-activations $full" "--recompute-activations $full --recompute-method uniform --recompute-num-layers 1" \
	"--recompute-granularity selective --recompute-modules mlp" "--recompute-granularity selective --recompute-modules core_attn mlp" \
	"--mtp-num-layers 1 $full --recompute-method uniform --recompute-num-layers 3" "--recompute-granularity selective --recompute-modules mlps" "--recompute-granularity selective --recompute-modules mla_up_proj"; do
	echo "== $asked"
	parplan check --env RECOMPUTE="$asked" recompute.sh | grep 'stops with' || parplan sim --env RECOMPUTE="$asked" --gpu h100-sxm --format json recompute.sh | jq -c '[.step_time_s, .memory.peak_gib]'
done 2>&1
parplan check --env RECOMPUTE="--recompute-modules mlp" recompute.sh | grep -A6 'recompute-ignored'
for asked in "$full" "$full --recompute-method block"; do
	echo "== 2023-06 $asked"
	parplan check --env RECOMPUTE="$asked" --framework megatron@2023-06 --set parallelism.tp=1 \
		--set parallelism.pp=4 --set parallelism.pipeline.layers_per_stage=3 recompute.sh | grep -A2 'stops with'
done
# --moe-layer-recompute is one module more, which is named once
parplan convert --to megatron --env RECOMPUTE="--moe-layer-recompute --recompute-granularity selective --recompute-modules moe layernorm" recompute.sh | grep -e --recompute-modules
# What an open word at the end may say is not missing.
d=$(mktemp -d)
sed 's/\${RECOMPUTE.*/--recompute-granularity full $MORE/' recompute.sh >$d/open.sh
parplan check $d/open.sh | tail -n 1
parplan check --env MORE= $d/open.sh | grep -c 'stops with'
rm -r $d
