parplan sim --gpu h200 --seq 16384 plans/hsdp-2x8.yaml
