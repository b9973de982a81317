parplan check testdata/project/world/small.toml testdata/project/world/large.toml testdata/project/world/open.yaml
