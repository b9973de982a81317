parplan sim --set cluster.gpu=abacus plans/hsdp-2x8.yaml
