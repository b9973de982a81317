printf 'parallelism: {tp: [\n' | parplan report - -o - | sed -n '/<main/,/<\/main/p'
