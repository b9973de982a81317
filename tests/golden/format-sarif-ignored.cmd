parplan check --format sarif --show-ignored --ignore degrees-product plans/mistake-degrees.yaml | jq '.runs[0].results[] | {ruleId, suppressions}'
