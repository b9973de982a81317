parplan check --error heads-divisibility --fail-on never --framework torchtitan@v0.2.1 --world 32 testdata/project/train.toml
