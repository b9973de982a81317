#!/bin/sh
# Real output against docs/schemas: every line of tests/schemas/commands is "SCHEMA COMMAND...", where a
# command prints one JSON document (its exit status does not matter). In a document that is spoilt on
# purpose the validator must find the fault.
set -u
command -v python3 >/dev/null || exit 0
passed=0 failed=0
out=$(mktemp) || exit 2
trap 'rm -f "$out" "$out.why"' EXIT

pass() { passed=$((passed + 1)); }
fail() {
	failed=$((failed + 1))
	cat "$out.why"
	echo "docs/schemas/$schema.json does not fit: $command"
}

while read -r schema command; do
	case $schema in '' | '#'*) continue ;; esac
	sh -c "$command" >"$out" 2>/dev/null </dev/null
	if python3 -B tests/schemas/validate.py "docs/schemas/$schema.json" <"$out" >"$out.why"; then
		pass
	else
		fail
	fi
	sed 's/"schema":/"schemo":/' "$out" >"$out.why"
	if ! python3 -B tests/schemas/validate.py "docs/schemas/$schema.json" <"$out.why" >/dev/null; then
		pass
	else
		fail
	fi
done <tests/schemas/commands
echo "$passed passed, $failed failed"
