parplan observe testdata/evidence/jobs/fsdp-4/rank0_trace.json testdata/evidence/jobs/fsdp-4/rank1_trace.json
