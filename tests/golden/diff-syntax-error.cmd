parplan diff plans/fsdp-8.yaml testdata/rules/syntax-error.yaml
