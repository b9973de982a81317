parplan check --world 32 testdata/project/train.toml testdata/project/old/left.yaml
