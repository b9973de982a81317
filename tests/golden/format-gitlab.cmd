parplan check --format gitlab plans/mistake-degrees.yaml | jq .
