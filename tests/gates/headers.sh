#!/bin/sh
# Every header compiles alone, and a file includes its own header first: that file's compilation is then the header's.
find src -name '*.h' | sort | while read -r header; do
	[ ! -e "${header%.h}.c" ] || continue
	echo "#include \"${header#src/}\"" |
		${CC-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -Isrc -I"$BUILD/gen" -isystem "$BUILD/gen/system" -fsyntax-only -xc - >/dev/null 2>&1 ||
		echo "$header does not compile alone"
done
find src -name '*.c' -o -name '*.cc' | sort | while read -r source; do
	own=${source%.*}.h
	[ -e "$own" ] || continue
	first=$(grep -m1 '^#include' "$source")
	[ "$first" = "#include \"${own#src/}\"" ] || echo "$source: its own header is not included first"
done
