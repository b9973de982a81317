sed "s/^# run.*//" plans/incidents/hsdp-collapse-711.toml | parplan check --world 16 -
