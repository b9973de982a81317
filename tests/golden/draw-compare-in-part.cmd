parplan draw compare testdata/evidence/jobs/hsdp-2x4-cp-2/config.yaml testdata/evidence/jobs/hsdp-2x4-cp-2
