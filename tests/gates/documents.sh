#!/bin/sh
# Documents tell the truth about the tree: paths and links in them exist, ARCHITECTURE lists the floors as src/FLOORS
# does, generated pages are fresh.
documents=$(find README.md docs -name '*.md' 2>/dev/null | sort)

# Paths in backticks; NAME in capitals stands for anything.
for document in $documents; do
	# shellcheck disable=SC2016
	grep -oE '`(src|tests|docs|plans|testdata|\.ci)/[A-Za-z0-9_./-]*`' "$document" | tr -d '`' | sort -u |
		grep -vE '[A-Z]{4}' | while read -r path; do
		[ -e "$path" ] || echo "$document: there is no $path"
	done
	grep -oE '\]\([^)#]+' "$document" | sed 's/^](//' | grep -vE '^(https?:|mailto:)' | sort -u | while read -r path; do
		[ -e "$(dirname "$document")/$path" ] || echo "$document: link to $path, which is not there"
	done
done

grep -qxF "    $(cat src/FLOORS)" docs/ARCHITECTURE.md || echo "docs/ARCHITECTURE.md: floors differ from src/FLOORS"
tr ' ' '\n' <src/FLOORS | while read -r floor; do
	grep -qE "^\|.*\b$floor\b.*\|.*\|" docs/ARCHITECTURE.md || echo "docs/ARCHITECTURE.md: the table of floors lacks $floor"
	[ -d "src/$floor" ] || grep -q '^| evidence | not there yet' docs/ARCHITECTURE.md ||
		echo "src/$floor is not there, and docs/ARCHITECTURE.md does not say so"
done
for folder in src/*/; do
	folder=$(basename "$folder")
	grep -qw "$folder" src/FLOORS || [ "$folder" = presets ] || [ "$folder" = cuda ] || [ "$folder" = python ] || echo "src/$folder is no floor"
done

# Each dialect has its rows in docs/dialects.md, and no row is of another.
parplan explain --dialects 2>/dev/null | sed -n 's/^\([a-z][a-z0-9-]*\) .*/\1/p' | sort >"${TMPDIR:-/tmp}/dialects.$$"
for title in 'Where the degrees live' 'What is modelled, and what is not'; do
	sed -n "/^## $title/,/^## [^W]/p" docs/dialects.md | sed -n 's/^| \([a-z][a-z0-9-]*\) |.*/\1/p' |
		grep -vx dialect | sort | diff "${TMPDIR:-/tmp}/dialects.$$" - |
		sed -n "s/^< \(.*\)/docs\/dialects.md: '$title' lacks \1/p; s/^> \(.*\)/docs\/dialects.md: '$title' has \1, which is no dialect/p"
done
rm -f "${TMPDIR:-/tmp}/dialects.$$"

[ ! -e docs/rules.md ] || parplan rules --format markdown 2>&1 | diff -q docs/rules.md - >/dev/null ||
	echo "docs/rules.md is not what 'parplan rules --format markdown' prints: make docs"
exit 0
