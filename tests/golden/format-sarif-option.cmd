parplan check --format sarif --set parallelism.tp=3 plans/hsdp-2x8.yaml | jq '.runs[0].results[] | {ruleId, message, locations, relatedLocations}'
