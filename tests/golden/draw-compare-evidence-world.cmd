parplan draw compare plans/fsdp-8.yaml testdata/evidence/collapsed
