#!/bin/sh
# The reference vectors, where they lie beside the checkout; silent where they do not.
# Those that docs/vectors.md proves wrong are not counted.
set -u
scripts=../shared/acceptance
[ -d "$scripts" ] && command -v python3 >/dev/null || exit 0
passed=0 failed=0
out=$(mktemp) || exit 2
trap 'rm -f "$out" "$out.wrong" "$out.rest"' EXIT
# shellcheck disable=SC2016
sed -n 's/^| `\([^`]*\)` .*/FAIL \1:/p' docs/vectors.md >"$out.wrong"

for name in mesh_vectors semantics shards torchtitan_ci corpus silence evidence; do
	[ -e "$scripts/$name.py" ] || continue
	python3 -B tests/acceptance.py "$name" --bin "$BIN" --verbose >"$out" 2>&1
	status=$?
	known=$(grep -cFf "$out.wrong" "$out")
	grep -vFf "$out.wrong" "$out" >"$out.rest" && mv "$out.rest" "$out"
	last=$(tail -n 1 "$out")
	case $last in
	[0-9]*\ passed,\ [0-9]*\ failed)
		p=${last%% *} f=${last#*, } f=${f%% *} f=$((f - known))
		[ "$f" != 0 ] || status=0
		;;
	*)
		p=0 f=1
		;;
	esac
	passed=$((passed + p)) failed=$((failed + f))
	[ "$status" != 0 ] || continue
	head -n 8 "$out"
	echo "$name: $last; again: python3 -B tests/acceptance.py $name --bin $BUILD/parplan --verbose"
done
echo "$passed passed, $failed failed"
