#!/bin/sh
# Commands are in the sandbox when they read their first file: each is given a standard input that does not
# end, and the kernel is asked about it. What the sandbox forbids, tests/unit/base/sandbox.c tries.
set -u
parplan --version --verbose | grep -q '^sandbox: .*seccomp$' || {
	echo "sandbox: not tried, this kernel or build has none"
	echo "0 passed, 0 failed"
	exit 0
}
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkfifo "$work/pipe"
exec 9<>"$work/pipe"

# What the kernel says of a field while the command waits for its input: state FIELD WORD...
state() {
	field=$1
	shift
	"$@" <"$work/pipe" >/dev/null 2>&1 9<&- &
	tries=0 found=0
	while [ "$tries" -lt "${TRIES-100}" ] && [ "$found" = 0 ] && [ -d "/proc/$!" ]; do
		found=$(sed -n "s/^$field:[[:space:]]*//p" "/proc/$!/status" 2>/dev/null)
		tries=$((tries + 1))
		sleep 0.02
	done
	kill "$!" 2>/dev/null
	wait "$!" 2>/dev/null
	echo "${found:-0}"
}

expect() { # SENTENCE WANTED GOT
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "sandbox: $1: $3, not $2; again: tests/run $BUILD sandbox"
	fi
}

for line in 'check -' 'plan -' 'sim -' 'ranks -' 'guard -' 'init -' 'draw -' 'convert --to native -' 'report -o - -' \
	'observe -' 'why -' 'verify plans/hsdp-2x8.yaml -' 'slow plans/hsdp-2x8.yaml -' 'diff - plans/hsdp-2x8.yaml' 'calibrate -o - -' 'ci --base HEAD --changed -'; do
	# shellcheck disable=SC2086
	expect "parplan $line waits outside" 2 "$(state Seccomp parplan $line)"
done
expect "new privileges can be had" 1 "$(state NoNewPrivs parplan check -)"
expect "--no-sandbox before the command is not heard" 0 "$(TRIES=10 state Seccomp parplan --no-sandbox check -)"
expect "--no-sandbox behind the command is not heard" 0 "$(TRIES=10 state Seccomp parplan check --no-sandbox -)"

# Outputs are made and replaced, devices written.
mkdir "$work/out"
for output in "$work/out/new.svg" "$work/out/new.svg" /dev/null; do
	expect "draw -o $output fails" 0 "$(parplan draw plans/hsdp-2x8.yaml --format svg -o "$output" >/dev/null 2>&1; echo $?)"
done
GITHUB_STEP_SUMMARY=$work/out/summary parplan check --format github plans/hsdp-2x8.yaml >/dev/null 2>&1
expect "the summary of a job is not written" 0 "$(test -s "$work/out/summary"; echo $?)"
echo "$passed passed, $failed failed"
