parplan check --format xml plans/mistake-degrees.yaml
