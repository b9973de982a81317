parplan why --format json testdata/evidence/hung/other | jq -c '.culprits[]'
