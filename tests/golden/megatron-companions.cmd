# What Megatron refuses beside modules that are computed again, and beside the exchange of experts that overlaps, by its day; silence where nothing is refused.
cd testdata/megatron
selective='--recompute-granularity selective --recompute-modules' overlap='--overlap-moe-expert-parallel-comm --moe-token-dispatcher-type alltoall'
virtual='--num-layers-per-virtual-pipeline-stage 6'
ask() {
	echo "== $*"
	asked=$1 && shift
	parplan check "$@" --env ASKED="$asked" --format json companions.sh | jq -r '.files[].findings[].message'
}
ask "$selective moe_act"
ask "$selective moe_act --moe-grouped-gemm"
ask "$selective layernorm --fp8-format hybrid"
ask "$selective layernorm --fp8-format hybrid" --framework megatron@2025-06-01
ask "$selective layernorm --fp8-format hybrid" --framework megatron@2025-04-10
ask "$selective layernorm --fp8-format hybrid --fp8-recipe blockwise"
ask "$selective core_attn --fp8-format hybrid"
ask "$selective shared_experts --moe-shared-expert-overlap --moe-token-dispatcher-type alltoall"
ask "$selective shared_experts --moe-token-dispatcher-type alltoall"
ask "$overlap"
ask "$overlap" --framework megatron@2025-08-10
ask "$overlap" --framework megatron@2025-07-10
ask "$overlap $virtual"
ask "$overlap $virtual" --env EP=1
ask "--overlap-moe-expert-parallel-comm $virtual"
ask "$overlap $virtual --recompute-granularity full --recompute-method uniform --recompute-num-layers 1"
ask "$overlap $virtual $selective moe"
ask "$overlap $virtual $selective mlp"
ask "$overlap $virtual --moe-shared-expert-overlap"
parplan check --env ASKED="$overlap" companions.sh
