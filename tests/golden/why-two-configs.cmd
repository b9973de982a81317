parplan why testdata/logs/degrees.log plans/hsdp-2x8.yaml plans/five-d.yaml
