parplan plan --quiet testdata/rules/hsdp-collapsed.yaml >/dev/null; parplan guard --quiet plans/incidents/hsdp-collapse.yaml
