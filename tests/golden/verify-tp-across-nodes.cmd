parplan verify testdata/evidence/jobs/tp-across-nodes/config.yaml testdata/evidence/jobs/tp-across-nodes/comm_traces
