parplan check --quiet --set model.converters=1 plans/hsdp-2x8.yaml plans/mistake-degrees.yaml
