f=$(mktemp) && printf 'tp: [1, 2]\nmatmul_dtype: [bf16, fp8]\n' >$f && parplan search --fix pp=1 --fix cp=1 --sweep $f plans/hsdp-2x8.yaml plans/fsdp-8.yaml; rm $f
