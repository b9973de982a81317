parplan check --error no-mixed-precision --quiet testdata/rules/no-mixed-precision.yaml
