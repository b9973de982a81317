parplan check --format json plans/incidents/float8-submesh.yaml | jq .
