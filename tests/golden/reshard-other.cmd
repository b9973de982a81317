parplan reshard plans/hsdp-2x8.yaml testdata/reshard/megatron.yaml
