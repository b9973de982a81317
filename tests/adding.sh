#!/bin/sh
# Follows docs/adding-a-rule.md, docs/adding-a-schedule.md and docs/adding-a-dialect.md to the letter in a copy of the tree: writes the
# files they show, builds, and runs the tests they name.
set -u
passed=0 failed=0
copy=$(mktemp -d) || exit 2
trap 'rm -rf "$copy"' EXIT

# What is built already need not be built again: times are kept.
git ls-files -z | xargs -0 cp -a --parents -t "$copy" 2>/dev/null
mkdir -p "$copy/build" && cp -a "$BUILD" "$copy/build/"
awk -v to="$copy/" '
/^```[a-z]+ [a-z]+\// { file = folder = to $2; sub("/[^/]*$", "", folder); system("mkdir -p " folder); next }
/^```/ { file = ""; next }
file != "" { print >file }' docs/adding-a-rule.md docs/adding-a-schedule.md docs/adding-a-dialect.md

cd "$copy" || exit 2
version=$(parplan --version | sed 's/^parplan //')
judge() { # PAGE LOG STATUS
	if [ "$3" = 0 ]; then
		passed=$((passed + 1))
	else
		tail -n 20 build.log "$2"
		echo "following $1 fails; again: tests/run $BUILD adding"
		failed=$((failed + 1))
	fi
}
build() { make VERSION="$version" "$@" >>build.log 2>&1; }
rule() {
	UPDATE=1 tests/run "$BUILD" rules && "$BUILD/parplan" explain odd-world | grep -q 'Use an even number of ranks' &&
		grep -q odd-world docs/rules.md
}
schedule() {
	build "$BUILD/unit/sim/schedule" "$BUILD/unit/sim/schedules" && "$BUILD/unit/sim/schedule" && "$BUILD/unit/sim/schedules"
}
dialect() {
	set -e
	"$BUILD/parplan" explain --dialects | grep -q "^example  *the config of a trainer that does not exist"
	"$BUILD/parplan" plan --world 16 --format json testdata/dialects/example/small.yaml |
		jq -e '.dialect == "example" and .degrees.tp == 4 and .degrees.pp == 1 and .degrees.dp_shard == 4'
	"$BUILD/parplan" plan --world 16 --format json testdata/dialects/example/small.yaml -- train --mesh.tensor 8 |
		jq -e '.degrees.tp == 8 and .degrees.dp_shard == 2'
	"$BUILD/parplan" check --world 16 --format json testdata/dialects/example/broken.yaml |
		jq -e '[.files[].findings[] | select(.rule == "misspelt-key") | .span.line] == [3]'
	echo 'mesh: {tensor: 2}' | "$BUILD/parplan" check - | grep -q "only 'mesh.tensor' is there"
}
build "$BUILD/parplan" "$BUILD/judge"
rule >rules.log 2>&1
judge docs/adding-a-rule.md rules.log $?
schedule >schedules.log 2>&1
judge docs/adding-a-schedule.md schedules.log $?
(dialect) >dialects.log 2>&1
judge docs/adding-a-dialect.md dialects.log $?
echo "$passed passed, $failed failed"
