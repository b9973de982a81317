parplan observe testdata/evidence/jobs/fsdp-4/inspector
