parplan verify --set model.preset=llama3-8b --set training.seq_len=2048 testdata/evidence/jobs/flattened-mesh/config.yaml testdata/evidence/jobs/flattened-mesh/rank3_trace.json
