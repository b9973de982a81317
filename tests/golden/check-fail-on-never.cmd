parplan check --fail-on never --quiet plans/mistake-degrees.yaml
