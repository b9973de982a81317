parplan observe --format json testdata/evidence/collapsed/rank_0.json
