parplan why --format json testdata/evidence/hung/stalled | jq -c '.culprits[]'
