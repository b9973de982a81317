parplan draw --figure groups --format svg testdata/evidence/collapsed | grep -c rect
