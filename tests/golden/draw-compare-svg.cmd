parplan draw plans/incidents/hsdp-collapse.yaml --figure compare --format svg | cmp - docs/images/hsdp-collapsed.svg && echo as in docs/images
