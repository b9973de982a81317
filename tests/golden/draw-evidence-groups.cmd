parplan draw groups testdata/evidence/jobs/tp-across-nodes/comm_traces --set cluster.gpus_per_node=4
