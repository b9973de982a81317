parplan check --format markdown plans/mistake-degrees.yaml plans/ddp-8.yaml plans/incidents/hsdp-collapse.yaml not-there.yaml
