for strict in '' --strict; do parplan check --format junit $strict --ignore heads-divisibility testdata/project/train.toml | grep -i 'judged'; done
