printf 'parplan: 1\nworld: 8\nparallelism: {tp: 8}\n' | parplan check --format junit - | grep -B1 -A1 '<skipped' | tail -n 3
