parplan check testdata/titan/before-parallelism.toml --framework torchtitan@v0.2.0 --world 16
