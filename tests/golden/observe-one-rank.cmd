parplan observe testdata/evidence/no-sync
