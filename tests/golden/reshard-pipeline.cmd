parplan reshard --rank 2 --param "layers.[1-5].attention.wq.weight$" testdata/reshard/pipeline.yaml
