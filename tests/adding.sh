#!/bin/sh
# Follows docs/adding-a-rule.md, docs/adding-a-schedule.md and docs/adding-a-framework.md to the letter in a copy of the tree: writes the
# files they show, builds, and runs the tests they name.
set -u
passed=0 failed=0
copy=$(mktemp -d) || exit 2
trap 'rm -rf "$copy"' EXIT

# What is built already need not be built again: times are kept.
git ls-files -z | xargs -0 cp -a --parents -t "$copy" 2>/dev/null
find "$BUILD" -type d -name static -prune -o -type f ! -name '*.new' -print0 | xargs -0 cp -a --parents -t "$copy"
awk -v to="$copy/" '
/^```[a-z]+ [a-z]+\// { file = folder = to $2; sub("/[^/]*$", "", folder); system("mkdir -p " folder); next }
/^```/ { file = ""; next }
file != "" { print >file }' docs/adding-a-rule.md docs/adding-a-schedule.md docs/adding-a-framework.md

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
planned() { # JQ-FILTER WORDS...: true of the plan
	filter=$1
	shift
	"$BUILD/parplan" plan --format json "$@" | jq -e "$filter"
}
parts='{degrees, meshes, data_parallel}'
same() { # PLAN PLAN: their parts
	jq -S "$parts" "$1" >one.json && jq -S "$parts" "$2" >other.json && test -s one.json && cmp one.json other.json
}
reading() {
	"$BUILD/parplan" explain --dialects | grep -q "^example  *the config of a trainer that does not exist"
	planned '.dialect == "example" and .degrees.tp == 4 and .degrees.pp == 1 and .degrees.dp_shard == 4' --world 16 $small
	planned '.degrees.tp == 8 and .degrees.dp_shard == 2' --world 16 $small -- train --mesh.tensor 8
	"$BUILD/parplan" check --world 16 --format json $small | jq -e '[.files[].findings[]] == []'
	"$BUILD/parplan" check --world 16 --format json testdata/dialects/example/broken.yaml |
		jq -e '[.files[].findings[] | select(.rule == "misspelt-key") | .span.line] == [3]'
	echo 'mesh: {tensor: 2}' | "$BUILD/parplan" check - | grep -q "only 'mesh.tensor' is there"
}
building() {
	planned '.meshes.tp.layout.strides == [1] and .meshes.dp_shard.layout.strides == [4]' --world 16 $small
	planned '.meshes.tp.layout.strides == [4] and .meshes.dp_shard.layout.strides == [1]' --world 16 --framework example@0.4 $small
	(echo 'release: 0.4' && cat $small) >old.yaml
	planned '.meshes.tp.layout.strides == [4] and .meshes.dp_shard.layout.strides == [1]' --world 16 old.yaml
	planned '.error.message == "10 ranks are no multiple of tensor 4 x pipeline 1"' --world 10 $small
	"$BUILD/parplan" check --world 10 $small | grep -q 'ValueError: 10 ranks are no multiple of tensor 4'
	# shellcheck disable=SC2086 # several words
	"$BUILD/parplan" sim --format json --world 16 $model $small | jq -e '.step_time_s > 0'
}
writing() {
	"$BUILD/parplan" plan --format json --world 16 $small >own.plan
	"$BUILD/parplan" init --world 16 $small >native.yaml
	"$BUILD/parplan" plan --format json native.yaml >native.plan
	same own.plan native.plan
	printf 'parplan: 1\nframework: {example: 0000000}\nworld: 16\nparallelism: {tp: 4}\n' >native.yaml
	"$BUILD/parplan" plan --format json native.yaml >native.plan
	sed '/innermost/d' $small >plain.yaml
	"$BUILD/parplan" plan --format json --world 16 plain.yaml >own.plan
	same own.plan native.plan
}
framework() {
	set -e
	small=testdata/dialects/example/small.yaml
	model='--set model.preset=llama3-8b --set cluster.gpu=h100-sxm --set cluster.gpus_per_node=8'
	reading
	building
	writing
}
build "$BUILD/parplan" "$BUILD/judge"
rule >rules.log 2>&1
judge docs/adding-a-rule.md rules.log $?
schedule >schedules.log 2>&1
judge docs/adding-a-schedule.md schedules.log $?
(framework) >framework.log 2>&1
judge docs/adding-a-framework.md framework.log $?
echo "$passed passed, $failed failed"
