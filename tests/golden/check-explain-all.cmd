parplan check --explain-all --quiet plans/incidents/hsdp-collapse.yaml
