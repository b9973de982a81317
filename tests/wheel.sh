#!/bin/sh
# The wheel, made around the program of this build and unpacked as pip does, without the network; its module is
# asked in tests/wheel/module.py and on the pages that show it (UPDATE=1 rewrites them). `make check-wheel` tries wheels
# with pip and what else there is.
set -u
command -v python3 >/dev/null || exit 0
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

expect() { # SENTENCE COMMAND...
	sentence=$1
	shift
	if "$@" >"$work/out" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		head -n 20 "$work/out"
		echo "wheel: $sentence; again: $*"
	fi
}
silent() { [ -z "$("$@" 2>&1 | tee -a /dev/stderr)" ]; }
made() { # FOLDER
	mkdir "$work/$1" && python3 -B src/python/wheel.py v1.2.3 1700000000 wheel "$work/program" "$work/$1"
}
again() { (umask 077 && TZ=Asia/Tokyo made again) && cmp "$wheel" "$work/again/$(basename "$wheel")"; }

strip -o "$work/program" "$BIN" 2>/dev/null || cp "$BIN" "$work/program"
expect "a wheel cannot be made" made first
wheel=$(echo "$work"/first/*.whl)
expect "two wheels differ" again
expect "the wheel has faults" silent python3 -B tests/wheel/made.py "$wheel"

# As pip unpacks it.
packages=$work/prefix/lib/python3/site-packages
mkdir -p "$packages" "$work/prefix/bin" && python3 -m zipfile -e "$wheel" "$packages" &&
	mv "$packages/parplan-1.2.3.data/scripts/parplan" "$work/prefix/bin/" && chmod +x "$work/prefix/bin/parplan"
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$packages"
expect "docs/python.md does not say what Python says" silent python3 tests/wheel/pages.py docs/python.md
python3 tests/wheel/module.py >"$work/module" 2>&1
last=$(tail -n 1 "$work/module")
case $last in
*' passed, 0 failed') passed=$((passed + ${last%% *})) ;;
*)
	cat "$work/module"
	failed=$((failed + 1))
	;;
esac
echo "$passed passed, $failed failed"
