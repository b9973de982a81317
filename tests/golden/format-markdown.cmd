parplan check --format markdown plans/mistake-degrees.yaml
