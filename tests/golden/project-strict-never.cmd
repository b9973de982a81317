parplan check --fail-on never testdata/project/world/open.yaml
