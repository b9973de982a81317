parplan verify --world 12 plans/hsdp-2x8.yaml testdata/evidence/hsdp-2x8
