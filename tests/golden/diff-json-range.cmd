parplan diff --format json plans/incidents/hsdp-collapse.yaml --framework torchtitan@b19456a98..cb633e332 | jq -c ".same, .range.quiet, (.range.epochs[] | [.date, .version, .what, .line])"
