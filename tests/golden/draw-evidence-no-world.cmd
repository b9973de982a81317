parplan draw testdata/evidence/titan.log
