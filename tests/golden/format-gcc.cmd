parplan check --format gcc plans/mistake-degrees.yaml
