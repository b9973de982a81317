#!/bin/sh
# Every example under plans/ is checked: it has exactly the findings that its comments announce,
#   dp_shard: 8   # want: hsdp-collapsed [RULE...]
# on the line of the finding, and none without. A file may say how it is to be run: "# run: OPTION...".
set -u
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

wanted() {
	awk '{ sub(/\r$/, "") } match($0, /# want: /) {
		n = split(substr($0, RSTART + RLENGTH), rule, /[ ,]+/)
		for (i = 1; i <= n; i++) if (rule[i] != "") print FNR ": " rule[i]
	}' "$1" | sort -u
}

for plan in $(find plans \( -name '*.yaml' -o -name '*.toml' -o -name '*.json' \) | sort); do
	options=$(sed -n 's/^# run: //p' "$plan" | tr '\n' ' ')
	# shellcheck disable=SC2086
	parplan check --format json "$plan" $options >"$work/json" 2>"$work/err"
	status=$?
	jq -r '.files[].findings[] | "\(.span.line): \(.rule)"' "$work/json" 2>>"$work/err" | sort -u >"$work/got"
	wanted "$plan" >"$work/want"
	if [ "$status" -lt 2 ] && [ ! -s "$work/err" ] &&
		diff -u --label "$plan wants" --label "check finds" "$work/want" "$work/got" >"$work/diff"; then
		passed=$((passed + 1))
		continue
	fi
	failed=$((failed + 1))
	cat "$work/err" "$work/diff" 2>/dev/null
	echo "$plan failed with exit status $status; again: $BUILD/parplan check $plan $options"
done
echo "$passed passed, $failed failed"
