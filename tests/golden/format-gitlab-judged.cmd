for strict in '' --strict; do parplan check --format gitlab $strict --ignore heads-divisibility testdata/project/train.toml | grep -i 'judged'; done
