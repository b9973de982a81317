for strict in '' --strict; do parplan check --format rdjson $strict --ignore heads-divisibility testdata/project/train.toml | grep -i 'judged'; done
