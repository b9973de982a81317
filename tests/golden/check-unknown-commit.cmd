parplan check --framework torchtitan@9dec370 plans/fsdp-8.yaml
