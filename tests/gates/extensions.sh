#!/bin/sh
# Rows of the extension tables: kebab-case names, one line of text that fits, no file without its row.
rows() { # FOLDER KIND [PREFIX] [VARIABLE]
	for file in "$1"/"${3-}"*.c; do
		[ -e "$file" ] || continue
		name=$(basename "$file" .c)
		name=${name#"${3-}"}
		grep -q "^const struct $2 ${4-$2}_$name\b" "$file" || echo "$file defines no ${4-$2}_$name"
	done
}
rows src/input/dialects dialect
for wing in src/wings/*/; do
	name=$(basename "$wing")
	grep -hqE "^const struct (dialect dialect|framework framework|wing wing)_$name\b" "$wing"*.c ||
		grep -hqE "^const struct launch_form launch_form_" "$wing"*.c ||
		echo "$wing defines none of dialect_$name, framework_$name, wing_$name and a launch form"
done
rows src/rules/sets ruleset
rows src/report/formats format
rows src/draw/figures figure
rows src/sim/schedules schedule
rows src/evidence/sources evidence_source "" source
rows src/cli/commands command
exit 0
