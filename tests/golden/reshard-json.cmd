parplan reshard --format json --rank 0 --param output --node-gbps 5 --set cluster.gpus_per_node=8 testdata/dcp/titan-fsdp4.metadata testdata/reshard/hsdp-tp.yaml | jq .
