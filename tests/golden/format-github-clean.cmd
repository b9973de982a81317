parplan check --format github plans/ddp-8.yaml
