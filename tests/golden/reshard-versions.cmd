parplan reshard testdata/dcp/titan-fsdp4.metadata testdata/reshard/hsdp-tp.yaml --framework torchtitan@v0.1.0
