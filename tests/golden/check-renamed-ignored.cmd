parplan check testdata/titan/before-parallelism.toml --framework torchtitan@v0.1.0 --world 16
