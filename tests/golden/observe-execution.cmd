parplan observe testdata/evidence/jobs/tp-2-fsdp-4/rank5_et.json
