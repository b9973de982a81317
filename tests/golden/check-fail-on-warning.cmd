parplan check --quiet --fail-on warning plans/incidents/dataloader-shrink.yaml
