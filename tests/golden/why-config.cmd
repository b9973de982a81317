parplan why testdata/logs/degrees.log plans/mistake-degrees.yaml
