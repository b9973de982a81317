parplan check testdata/mesh/gap.yaml testdata/mesh/twice.yaml testdata/mesh/hidden.yaml testdata/mesh/innermost.yaml
