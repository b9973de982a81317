#!/bin/sh
# At most 37 numbers are fitted, or assumed where neither they nor their file name a source: all of them rows
# of figures.def (with unit and meaning), and none of a model. `fitted.sh list` prints them.
free() {
	find src/presets/costs src/presets/generations src/presets/gpus src/presets/fabrics -name '*.yaml' -exec awk '
	FNR == 1 { named = 0 }
	/^source: / { named = 1 }
	/^[a-z0-9]+:/ { section = $1 }
	/basis: fitted/ || (/basis: assumed/ && !/source: / && !named) {
		key = section $1; gsub(":", ".", key); sub(/[.]$/, "", key); print FILENAME, key }' {} + | sort
}
if [ "${1:-}" = list ]; then
	free
	exit
fi
count=$(free | wc -l)
[ "$count" -le 37 ] || echo "$count numbers fitted or assumed without a source, more than 37"
grep -rl 'basis: fitted' src/presets | grep -vE '^src/presets/(costs|generations|gpus|fabrics)/'
free | while read -r file key; do
	grep -qF "\"$key\", \"" src/cost/figures.def || echo "$file: $key is no row of figures.def"
done
