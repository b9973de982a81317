printf 'parplan: 1\nworld: 8\nparallelism: {tp: 8}\n' | parplan check --format sarif - | jq '.runs[0].invocations[0].toolExecutionNotifications[-1] | del(.associatedRule.index)'
