parplan check --format gitlab plans/mistake-degrees.yaml plans/ddp-8.yaml plans/incidents/hsdp-collapse.yaml not-there.yaml | jq .
