parplan why --format json testdata/logs/hang.log | jq .culprits
