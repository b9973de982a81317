parplan why --world 40 testdata/logs/degrees.log testdata/logs/no-world.yaml --framework torchtitan@v0.2.0
