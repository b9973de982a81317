parplan check --format gcc plans/ddp-8.yaml
