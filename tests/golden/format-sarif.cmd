parplan check --format sarif plans/mistake-degrees.yaml | jq 'del(.runs[].tool.driver.version)'
