parplan check --baseline testdata/baseline/known.json plans/mistake-degrees.yaml
