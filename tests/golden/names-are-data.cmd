parplan check --end-of-options plans/ddp-8.yaml --write-baseline=z.yaml
