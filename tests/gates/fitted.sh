#!/bin/sh
# At most 40 numbers are fitted, all of them rows of figures.def (with unit and meaning), and none
# belongs to a model: they stand with constants, devices, generations and fabrics only.
count=$(grep -rh 'basis: fitted' src/presets | wc -l)
[ "$count" -le 40 ] || echo "$count fitted numbers, more than 40"
grep -rl 'basis: fitted' src/presets | grep -vE '^src/presets/(costs|generations|gpus|fabrics)/'
# section.key of every fitted number, against the keys of figures.def
find src/presets/costs src/presets/generations src/presets/gpus src/presets/fabrics -name '*.yaml' -exec awk '
/^[a-z0-9]+:/ { section = $1 }
/basis: fitted/ { key = section $1; gsub(":", ".", key); sub(/[.]$/, "", key); print FILENAME, key }' {} + |
	while read -r file key; do
		grep -qF "\"$key\", \"" src/cost/figures.def || echo "$file: $key is no row of figures.def"
	done
