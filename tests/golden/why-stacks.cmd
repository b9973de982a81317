parplan why testdata/logs/stacks
