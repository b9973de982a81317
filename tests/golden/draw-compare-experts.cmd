parplan draw plans/incidents/ep-hsdp-main.yaml --figure compare
