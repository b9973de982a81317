parplan check --write-baseline testdata/baseline/never.json plans/nowhere.yaml; ls testdata/baseline
