#!/bin/sh
# Every rule of the catalogue has a file that makes it fire, testdata/rules/NAME.yaml (or .toml), and one
# that does not, NAME.ok.yaml. The first says where:
#   dp_shard: 2   # want: degrees-product    on the line of the finding
#   # want-elsewhere: bad-override           the finding is not in the file (an option, a flag)
#   # run: --world 16                        options to run it with
# Only the rule itself is looked at; other findings are allowed (tests/judge). docs/rules.md is the catalogue, too.
set -u
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

fail() {
	failed=$((failed + 1))
	echo "$1"
}

# fires RULE FILE
fires() { parplan check --format json "$2" | grep -q "\"rule\":\"$1\""; }

# A config of 17 MiB is not kept in the repository.
too_large() {
	{ echo 'parplan: 1'; head -c 17825792 /dev/zero | tr '\0' '#'; } >"$work/too-large.yaml"
	fires too-large "$work/too-large.yaml" || fail "too-large: not found in 17 MiB"
	echo 'parplan: 1' >"$work/small.yaml"
	! fires too-large "$work/small.yaml" || fail "too-large: found in a small file"
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

# Found by ci, of a pull request that changes the settings: tests/ci.sh has what it says.
settings_change() {
	command -v git >/dev/null || return
	(
		export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_COMMITTER_NAME=a
		export GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_EMAIL=a@example.org
		git init -q -b main "$work/settings" && cd "$work/settings" || exit
		echo 'fail-on: error' >.parplan.yaml
		git add -A && git commit -qm base && git checkout -qb pr
		echo '# the same' >>.parplan.yaml && git commit -qam same && parplan ci --base main >"$work/same"
		echo 'fail-on: never' >.parplan.yaml && git commit -qam never && parplan ci --base main >"$work/change"
	)
	! grep -q settings-change "$work/same" || fail "settings-change: found where nothing changes"
	grep -q settings-change "$work/change" || fail "settings-change: not found where fail-on changes"
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

# The files, all in one process.
"$BUILD/judge" rules >"$work/judged"
sed '$d' "$work/judged"
sums=$(tail -n 1 "$work/judged")
case $sums in
[0-9]*\ passed,\ [0-9]*\ failed) passed=${sums%% *} sums=${sums#*, } failed=${sums%% *} ;;
*) fail "$BUILD/judge rules did not come to its end: $sums" ;;
esac
too_large
stale_baseline
lost_in_conversion
settings_change

parplan rules --format markdown >"$work/rules.md"
[ -z "$UPDATE" ] || cmp -s "$work/rules.md" docs/rules.md || cp "$work/rules.md" docs/rules.md
if diff -u docs/rules.md "$work/rules.md" >"$work/diff"; then
	passed=$((passed + 1))
else
	head -n 20 "$work/diff"
	fail "docs/rules.md is out of date; again: $BUILD/parplan rules --format markdown >docs/rules.md"
fi
echo "$passed passed, $failed failed"
