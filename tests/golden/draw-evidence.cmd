parplan draw testdata/evidence/hsdp-2x8
