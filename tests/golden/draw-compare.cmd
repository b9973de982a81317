parplan draw plans/incidents/hsdp-collapse.yaml --figure compare
