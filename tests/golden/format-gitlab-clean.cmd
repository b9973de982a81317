parplan check --format gitlab plans/ddp-8.yaml
