parplan why --format json testdata/evidence/hung/missing | jq -c '.culprits[]'
