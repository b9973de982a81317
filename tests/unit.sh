#!/bin/sh
# The unit programs: one per tests/unit/FLOOR/.../NAME.c, built beforehand.
set -u
passed=0 failed=0
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT

for source in tests/unit/*/*.c tests/unit/*/*/*.c; do
	[ -e "$source" ] || continue
	program=$BUILD/${source#tests/}
	program=${program%.c}
	timeout $((LIMIT / 2)) "$program" >"$out" 2>&1
	status=$?
	p=$(sed -n 's/.*\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$out" | tail -n 1)
	passed=$((passed + ${p:-0}))
	[ "$status" != 0 ] || [ -z "$p" ] || continue
	f=$(sed -n 's/.*\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$out" | tail -n 1)
	failed=$((failed + ${f:-1}))
	grep -vE '\[ RUN|\[       OK' "$out" | head -n 40
	echo "$source: exit status $status; again: $program"
done
echo "$passed passed, $failed failed"
