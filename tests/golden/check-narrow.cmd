COLUMNS=50 parplan check plans/incidents/state-dict-2d.yaml
