parplan sim --compare plans/fsdp-8.yaml --compare plans/five-d.yaml plans/hsdp-2x8.yaml
