parplan draw mesh testdata/evidence/hung/missing
