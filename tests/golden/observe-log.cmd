parplan observe testdata/evidence/titan.log
