parplan verify --world 8 plans/fsdp-8.yaml testdata/evidence/hsdp-2x8
