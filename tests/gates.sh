#!/bin/sh
# The gates: each tests/gates/NAME.sh prints what breaks a rule of the house, and nothing when all is well.
set -u
passed=0 failed=0
for gate in tests/gates/*.sh; do
	found=$("$gate" 2>&1)
	status=$?
	if [ "$status" = 0 ] && [ -z "$found" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$gate: exit status $status"
		printf '%s\n' "$found" | head -n 40 | sed 's/^/  /'
	fi
done
echo "$passed passed, $failed failed"
