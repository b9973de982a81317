parplan check --no-config -q --world 32 testdata/project/train.toml
