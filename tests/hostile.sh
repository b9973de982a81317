#!/bin/sh
# What files of a checkout, logs and names must not bring about: that a program runs, that a file outside is read
# or shown, that an input is overwritten, that a part of the answer is lost.
# shellcheck source=tests/ci/repositories
. tests/ci/repositories

exits() { if [ "$status" = "$1" ]; then pass; else fail "$2: exit status $status, not $1"; fi; }
says() { if grep -qF -- "$1" "$work/out"; then pass; else fail "$2: does not say '$1'"; fi; }
silent() { if grep -qF -- "$1" "$work/out"; then fail "$2: says '$1'"; else pass; fi; }
not_run() { if [ -e "$work/ran" ]; then rm "$work/ran"; fail "$1: a program ran"; else pass; fi; }
p() {
	timeout 20 parplan "$@" >"$work/out" 2>&1 </dev/null
	status=$?
}

for part in tests/hostile/*.sh; do
	# shellcheck disable=SC1090
	. "$root/$part"
	cd "$root" || exit 2
done

# Hostile text in two positions of each input (POSITIONS=1000: in all), through all outputs; not under sanitizers,
# which look for something else and take ten times as long.
case $BUILD in *release*) most=${POSITIONS:-2} ;; *) most=${POSITIONS:-0} ;; esac
if [ "$most" != 0 ] && command -v python3 >/dev/null; then
	mkdir -p "$work/positions" && git init -q "$work/positions"
	sums=$(POSITIONS=${POSITIONS:-$most} python3 -B tests/hostile/positions.py "$work/positions" 2>"$work/err") || { cat "$work/err"; failed=$((failed + 1)); }
	printf "%s\n" "$sums" | sed "\$d"
	sums=$(printf "%s\n" "$sums" | tail -n 1)
	passed=$((passed + ${sums%% *})) sums=${sums#*, } failed=$((failed + ${sums%% *}))
fi
echo "$passed passed, $failed failed"
