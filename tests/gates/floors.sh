#!/bin/sh
# A file includes headers of its own floor and of lower ones only; src/FLOORS has the order. src/cuda, a program of
# its own, stands on all of them, and none on it.
find src \( -name "*.[ch]" -o -name "*.cc" \) -exec awk '
FILENAME == "src/FLOORS" { for (i = 1; i <= NF; i++) floor[$i] = ++floors; floor["cuda"] = floors + 1; next }
FNR == 1 { split(FILENAME, part, "/"); own = part[2] }
/^#[ \t]*include "/ {
	split($0, quoted, "\""); split(quoted[2], included, "/"); to = included[1]
	if (quoted[2] !~ /\//) next
	if (!(to in floor)) { print FILENAME ":" FNR ": no such floor: " to; next }
	if (own in floor && floor[to] > floor[own]) print FILENAME ":" FNR ": " own " must not include " quoted[2]
}' src/FLOORS {} +
