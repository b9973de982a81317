parplan plan --param 'layers.0.attention.wq' --world 16 plans/hsdp-2x8.yaml testdata/folder
