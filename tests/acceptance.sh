#!/bin/sh
# The reference vectors, where they lie beside the checkout; silent where they do not.
# Those that docs/vectors.md proves wrong are not counted.
set -u
scripts=../shared/acceptance
[ -d "$scripts" ] && command -v python3 >/dev/null || exit 0
passed=0 failed=0
out=$(mktemp) || exit 2
# shellcheck disable=SC2016
wrong=$(sed -n 's/^| `\([^`]*\)` .*/\1/p' docs/vectors.md)
trap 'rm -f "$out"' EXIT

for name in mesh_vectors semantics shards torchtitan_ci; do
	[ -e "$scripts/$name.py" ] || continue
	python3 -B tests/acceptance.py "$name" --bin "$BIN" --verbose >"$out" 2>&1
	status=$?
	known=0
	for vector in $wrong; do
		grep -q "^FAIL $vector:" "$out" && known=$((known + 1))
		sed -i "/^FAIL $vector:/d" "$out"
	done
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
