parplan check --format sarif plans/ddp-8.yaml | jq 'del(.runs[].tool.driver.version)'
