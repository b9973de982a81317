parplan check --format markdown plans/ddp-8.yaml
