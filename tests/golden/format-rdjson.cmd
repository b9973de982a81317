parplan check --format rdjson plans/mistake-degrees.yaml | jq .
