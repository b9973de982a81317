parplan check testdata/project/wrong/own.yaml
