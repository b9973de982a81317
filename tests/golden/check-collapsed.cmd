parplan check plans/incidents/hsdp-collapse.yaml
