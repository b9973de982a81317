for strict in '' --strict; do parplan check --format markdown $strict --ignore heads-divisibility testdata/project/train.toml | grep -i 'judged'; done
