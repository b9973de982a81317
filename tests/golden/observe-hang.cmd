parplan observe --format json testdata/logs/hang.log | jq .culprits
