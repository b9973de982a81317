parplan check --format rdjson plans/ddp-8.yaml
