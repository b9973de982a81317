#!/bin/sh
# Outside comments headers name no row of fields.def: fields.awk reads sources only, and what includes such a header
# would not be made again when its number changes.
find src -name '*.h' -exec awk '
FNR == 1 { comment = 0 }
{
	text = $0
	gsub(/\/\*([^*]|\*[^\/])*\*\//, "", text)
	if (comment && !sub(/^.*\*\//, "", text)) next
	comment = sub(/\/\*.*/, "", text)
	while (match(text, /FIELD_[A-Z0-9_]+/)) {
		id = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		if (id !~ /^FIELD_(COUNT|INT|REAL|BOOL|TEXT|LIST|NODE|H)$/) print FILENAME ":" FNR ": " id " in a header"
	}
}' {} +
