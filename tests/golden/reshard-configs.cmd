parplan reshard --rank 3 --param "layers.0.attention.w[qo]" plans/incidents/dataloader-allowed.yaml plans/hsdp-2x8.yaml
