parplan verify testdata/evidence/jobs/hsdp-2x4/config.yaml testdata/evidence/jobs/hsdp-2x4/ras-1.json testdata/evidence/jobs/hsdp-2x4/ras-2.json
