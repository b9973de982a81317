parplan guard plans/incidents/hsdp-collapse.yaml
