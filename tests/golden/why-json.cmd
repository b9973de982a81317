parplan why --format json testdata/logs/memory.log | jq .
