o='--top 2 --fix cp=1 --fix pp=1 --objective cost plans/hsdp-2x8.yaml --set expect={}'
parplan search --gpu h100-sxm,h200 $o
parplan search --gpu h100-sxm,h200 --price h100-sxm=2.5 $o
parplan search --gpu h100-sxm --price none $o
parplan search --top 1 --price 2 plans/hsdp-2x8.yaml
parplan search --gpu h100-sxm,h200 --price h100-sxm=2.5,h200=2.6 $o | sed '/^One/,$d'
parplan search --gpus 8,16 --top 1 $o | sed '/^Lower/,$d'
