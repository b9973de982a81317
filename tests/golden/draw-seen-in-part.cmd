parplan draw testdata/evidence/jobs/hsdp-2x2-pp-2-tp-2
