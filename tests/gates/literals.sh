#!/bin/sh
# What costs are made of are rows of figures.def, each with a source and open to --profile: the simulator and the kernels
# have no floating literal but 0.5. Units are cost/units.h.
find src/sim src/cost/kernel.c src/cost/attention.c src/cost/collectives src/cost/links.c -name '*.[ch]' | sort | while read -r file; do
	awk -v file="$file" '
	{ line = $0 }
	{ gsub(/"([^"\\]|\\.)*"/, "\"\"", line) }
	comment && !sub(/.*\*\//, "", line) { next }
	{ comment = 0; gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", line) }
	sub(/\/\*.*/, "", line) { comment = 1 }
	{ gsub(/(^|[^A-Za-z0-9_.])0\.5([^0-9]|$)/, " ", line) }
	line ~ /(^|[^A-Za-z0-9_])([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+[eE][-+]?[0-9]+)/ { print file ":" FNR ": " $0 }' "$file"
done
