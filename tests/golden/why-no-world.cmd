parplan why testdata/logs/degrees.log testdata/logs/no-world.yaml
