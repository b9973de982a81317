parplan diff plans/fsdp-8.yaml plans/nothing-here.yaml
