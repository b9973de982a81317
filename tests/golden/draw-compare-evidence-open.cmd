parplan draw compare plans/hsdp-2x8.yaml testdata/evidence/groups-only
