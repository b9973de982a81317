parplan check --format github plans/mistake-degrees.yaml
