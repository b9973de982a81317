parplan observe --gpu q7 testdata/evidence/jobs/fsdp-4/inspector
