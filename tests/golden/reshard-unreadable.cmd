parplan reshard testdata/dcp/five-dims.metadata plans/hsdp-2x8.yaml
