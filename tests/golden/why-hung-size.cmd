parplan why --format json testdata/evidence/hung/size | jq -c '.culprits[]'
