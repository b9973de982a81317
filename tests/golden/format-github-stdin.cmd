printf 'parplan: 1\nparallelism: {tp: [}\n' | parplan check --format github -
