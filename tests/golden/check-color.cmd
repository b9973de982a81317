parplan check --color always plans/incidents/data-loader-typo.yaml
