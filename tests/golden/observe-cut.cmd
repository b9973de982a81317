parplan observe testdata/evidence/packed/cut_1.json.gz
