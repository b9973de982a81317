parplan diff plans/incidents/ep-hsdp-main.yaml --framework torchtitan@18a46d427^..1d392caa5 | sed "s,of [0-9]* recorded,of N recorded,"
