#!/bin/sh
# The reference vectors, where they lie beside the checkout; silent where they do not.
set -u
scripts=../shared/acceptance
[ -d "$scripts" ] && command -v python3 >/dev/null || exit 0
passed=0 failed=0
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT

for name in mesh_vectors semantics shards torchtitan_ci; do
	[ -e "$scripts/$name.py" ] || continue
	python3 -B "$scripts/$name.py" --bin "$BIN" >"$out" 2>&1
	status=$?
	last=$(tail -n 1 "$out")
	case $last in
	[0-9]*\ passed,\ [0-9]*\ failed)
		p=${last%% *} f=${last#*, } f=${f%% *}
		;;
	*)
		p=0 f=1
		;;
	esac
	passed=$((passed + p)) failed=$((failed + f))
	[ "$status" != 0 ] || continue
	head -n 8 "$out"
	echo "$name: $last; again: python3 $scripts/$name.py --bin $BUILD/parplan --verbose"
done
echo "$passed passed, $failed failed"
