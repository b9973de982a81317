parplan slow plans/hsdp-2x8.yaml testdata/evidence/slow/within.log
