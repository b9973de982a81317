#!/bin/sh
# A function or table that only its own file uses is static. What the tests call counts as used; so do the
# lists of extension rows, which their headers promise.
nm -A "$BUILD/libparplan.a" "$BUILD/cli/main.o" | awk '
NF < 2 { next }
{ split($1, file, ":"); kind = $(NF - 1); name = $NF }
name ~ /^(dialects|frameworks|rulesets|known_lists|formats|figures|devices|schedules|targets|evidence_sources|commands|wings)$/ { next }
kind ~ /^[TDRB]$/ && name !~ /^_Z/ { defined[name] = file[2] }
kind == "U" { used[name] = 1 }
END { for (name in defined) if (!(name in used) && name != "main") print defined[name], name }' |
	sort | while read -r file name; do
	grep -rqw --include='*.[ch]' "$name" tests || echo "$file: $name is used by no other file: make it static"
done
