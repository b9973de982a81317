parplan check --strict plans/ddp-8.yaml && parplan check --strict testdata/project/train.toml --framework torchtitan@v0.2.0
