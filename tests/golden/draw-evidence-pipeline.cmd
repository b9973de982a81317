parplan draw groups testdata/evidence/jobs/pp-2-fsdp-4/rank4_trace.json testdata/evidence/jobs/pp-2-fsdp-4/comm_traces
