parplan verify testdata/evidence/jobs/hsdp-2x4/config.yaml testdata/evidence/jobs/hsdp-2x4/rank0_trace.json
