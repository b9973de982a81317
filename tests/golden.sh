#!/bin/sh
# Golden tests: tests/golden/NAME.cmd is one shell line, NAME.out what it prints
# (stdout and stderr) and its exit status. UPDATE=1 rewrites the .out files. A word chooses those with it in their names.
set -u
passed=0 failed=0
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT

for cmd in $(find tests/golden -name "*${1-}*.cmd" 2>/dev/null | sort); do
	want=${cmd%.cmd}.out
	timeout $((LIMIT / 10)) sh "$cmd" >"$out" 2>&1 </dev/null
	echo "exit status $?" >>"$out"
	if [ -n "$UPDATE" ]; then
		cmp -s "$out" "$want" || cp "$out" "$want"
	fi
	if cmp -s "$want" "$out"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		diff -u "$want" "$out" 2>&1 | head -n 60
		echo "$cmd failed; again: PATH=\$PWD/$BUILD:\$PATH NO_COLOR=1 COLUMNS=80 sh $cmd"
	fi
done
[ $((passed + failed)) = 0 ] || echo "$passed passed, $failed failed"
