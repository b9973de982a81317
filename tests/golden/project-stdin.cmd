cd testdata/project && parplan check --world 16 - <train.toml
