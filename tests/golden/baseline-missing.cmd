parplan check --baseline testdata/baseline/nowhere.json plans/mistake-degrees.yaml
