parplan observe testdata/evidence/hsdp-2x8
