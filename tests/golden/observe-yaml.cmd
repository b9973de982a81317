parplan observe --format yaml testdata/evidence/hsdp-2x8 | parplan verify - testdata/evidence/hsdp-2x8
