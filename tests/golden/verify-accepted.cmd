parplan verify --accept-insufficient --format json plans/hsdp-2x8.yaml testdata/evidence/groups-only
