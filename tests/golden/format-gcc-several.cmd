parplan check --format gcc plans/mistake-degrees.yaml plans/ddp-8.yaml plans/incidents/hsdp-collapse.yaml not-there.yaml
