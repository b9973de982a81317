for name in missing.txt missing.json behind.txt; do parplan why --format json testdata/evidence/ras/$name | jq -c '.culprits[]'; done
