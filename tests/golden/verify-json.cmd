parplan verify --format json - testdata/evidence/collapsed <plans/hsdp-2x8.yaml
