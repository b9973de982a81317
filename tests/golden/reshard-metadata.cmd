parplan reshard --rank 5 --param "layers.0.attention.wo|^output" testdata/dcp/titan-fsdp4.metadata testdata/reshard/hsdp-tp.yaml
