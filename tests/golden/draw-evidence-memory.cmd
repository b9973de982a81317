parplan draw memory testdata/evidence/hsdp-2x8
