# The degree of vLLM on the trainer's cards must divide the ranks; that of a server is told where it is started. Up to TRL 1.0 a server was
# the default.
d=$(mktemp -d) || exit
trap 'rm -rf "$d"' EXIT
cat >"$d/grpo.yaml" <<'YAML'
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
per_device_train_batch_size: 8
num_generations: 8
use_vllm: true
vllm_tensor_parallel_size: 3
YAML
for more in '' '--set vllm_mode=colocate' '--set vllm_mode=server' '--framework trl@v0.29.0' '--framework trl@v1.0.0' '--set use_vllm=false'; do
	echo "== $more"
	COLUMNS=200 parplan check --world 8 $more "$d/grpo.yaml" | grep -oE '(error|warning): .*'
done
:
