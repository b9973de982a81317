parplan observe testdata/evidence/jobs/hsdp-2x4/ras.txt
