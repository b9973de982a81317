#!/bin/sh
# Every rule of the catalogue has a file that makes it fire, testdata/rules/NAME.yaml (or .toml), and one
# that does not, NAME.ok.yaml. The first says where:
#   dp_shard: 2   # want: degrees-product    on the line of the finding
#   # want-elsewhere: bad-override           the finding is not in the file (an option, a flag)
#   # run: --world 16                        options to run it with
# Only the rule itself is looked at; other findings are allowed. docs/rules.md is the catalogue, too.
set -u
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

fail() {
	failed=$((failed + 1))
	echo "$1"
}

# Lines of the file on which the rule was found, 0 for other places.
found() { # RULE FILE
	options=$(sed -n 's/^# run: //p' "$2" | tr '\n' ' ')
	# shellcheck disable=SC2086
	parplan check --format json "$2" $options >"$work/json" 2>"$work/err"
	[ $? -lt 2 ] || { cat "$work/err"; echo "exit status 2"; }
	jq -r --arg rule "$1" --arg file "$2" '.files[].findings[] | select(.rule == $rule) |
		if .path == $file and .span then .span.line else 0 end' "$work/json" | sort -un
}

wanted() { # RULE FILE
	awk -v rule="$1" '{ sub(/\r$/, "") }
	match($0, /# want: /) {
		n = split(substr($0, RSTART + RLENGTH), name, /[ ,]+/)
		for (i = 1; i <= n; i++) if (name[i] == rule) print FNR
	}
	$0 == "# want-elsewhere: " rule { print 0 }' "$2" | sort -un
}

one() { # RULE FILE
	wanted "$1" "$2" >"$work/want"
	found "$1" "$2" >"$work/got"
	if cmp -s "$work/want" "$work/got"; then
		passed=$((passed + 1))
	else
		fail "$2: $1 wanted on lines $(tr '\n' ' ' <"$work/want"), found on $(tr '\n' ' ' <"$work/got"); again: $BUILD/parplan check $2 $options"
	fi
}

# A config of 17 MiB is not kept in the repository.
too_large() {
	{ echo 'parplan: 1'; head -c 17825792 /dev/zero | tr '\0' '#'; } >"$work/too-large.yaml"
	[ "$(found too-large "$work/too-large.yaml")" ] || fail "too-large: not found in 17 MiB"
	echo 'parplan: 1' >"$work/small.yaml"
	[ -z "$(found too-large "$work/small.yaml")" ] || fail "too-large: found in a small file"
	passed=$((passed + 1))
}

# Found in a baseline, not in a config.
stale_baseline() {
	parplan check --write-baseline "$work/baseline.json" plans/mistake-degrees.yaml >/dev/null
	parplan check --format json --baseline "$work/baseline.json" plans/mistake-degrees.yaml >"$work/json"
	! grep -q stale-baseline "$work/json" || fail "stale-baseline: found where every entry is met"
	parplan check --set parallelism.tp=8 --format json --baseline "$work/baseline.json" plans/mistake-degrees.yaml >"$work/json"
	grep -q stale-baseline "$work/json" || fail "stale-baseline: not found for a mistake that was mended"
	passed=$((passed + 2))
}

# Found by convert, not by check.
lost_in_conversion() {
	parplan convert --to torchtune plans/pp-1f1b-3d.yaml 2>&1 >/dev/null | grep -q lost-in-conversion ||
		fail "lost-in-conversion: not found for a pipeline"
	! parplan convert --to torchtitan plans/pp-1f1b-3d.yaml 2>&1 >/dev/null | grep -q lost-in-conversion ||
		fail "lost-in-conversion: found where TorchTitan has every key"
	passed=$((passed + 2))
}

parplan rules --format json | jq -r '.rules[].name' >"$work/names"
while read -r rule <&3; do
	[ "$rule" != too-large ] || { too_large; continue; }
	[ "$rule" != stale-baseline ] || { stale_baseline; continue; }
	[ "$rule" != lost-in-conversion ] || { lost_in_conversion; continue; }
	firing=$(ls "testdata/rules/$rule.yaml" "testdata/rules/$rule.toml" 2>/dev/null)
	silent=$(ls "testdata/rules/$rule.ok.yaml" "testdata/rules/$rule.ok.toml" 2>/dev/null)
	if [ -z "$firing" ] || [ -z "$silent" ]; then
		fail "$rule: testdata/rules/$rule.yaml and $rule.ok.yaml are wanted"
		continue
	fi
	for file in $firing; do
		[ -n "$(wanted "$rule" "$file")" ] || fail "$file announces no $rule"
		one "$rule" "$file"
	done
	for file in $silent; do
		one "$rule" "$file"
	done
done 3<"$work/names"

# A file of a rule that no longer exists is left over.
for file in testdata/rules/*; do
	rule=${file#testdata/rules/} rule=${rule%%.*}
	grep -qx "$rule" "$work/names" ||
		fail "$file: there is no rule $rule"
done

parplan rules --format markdown >"$work/rules.md"
[ -z "$UPDATE" ] || cmp -s "$work/rules.md" docs/rules.md || cp "$work/rules.md" docs/rules.md
if diff -u docs/rules.md "$work/rules.md" >"$work/diff"; then
	passed=$((passed + 1))
else
	head -n 20 "$work/diff"
	fail "docs/rules.md is out of date; again: $BUILD/parplan rules --format markdown >docs/rules.md"
fi
echo "$passed passed, $failed failed"
