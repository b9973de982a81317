parplan check --config testdata/nowhere.yaml plans/ddp-8.yaml
