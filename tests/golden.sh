#!/bin/sh
# Golden tests: tests/golden/NAME.cmd is one shell line, NAME.out what it prints
# (stdout and stderr) and its exit status. UPDATE=1 rewrites the .out files. A word chooses those with it in their names.
set -u
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# half NUMBER: every other command. Two run side by side: this suite takes longest, and would keep one processor alone at the end.
half() {
	passed=0 failed=0 out=$work/$1.now
	for cmd in $(find tests/golden -name "*${word}*.cmd" 2>/dev/null | sort | sed -n "$((1 + $1))~2p"); do
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
	echo "$passed $failed" >"$work/$1.sums"
}

word=${1-}
for number in 0 1; do
	half $number >"$work/$number.told" &
done
wait
cat "$work"/*.told
awk '{ passed += $1; failed += $2 } END { if (passed + failed) print passed " passed, " failed " failed" }' "$work"/*.sums
