#!/bin/sh
# McCabe number at most 15, functions at most 80 lines, files at most 600.
if command -v pmccabe >/dev/null; then
	find src -name "*.c" -exec pmccabe {} + 2>/dev/null | awk -F '\t' '
	$2 > 15 { print $6 ": complexity " $2 }
	$5 > 80 { print $6 ": " $5 " lines" }'
fi
find src tests \( -name '*.[ch]' -o -name '*.cc' \) -exec wc -l {} + |
	awk '$2 != "total" && $1 > 600 { print $2 ": " $1 " lines" }'
