parplan observe testdata/evidence/jobs/fsdp-4/step-1000
