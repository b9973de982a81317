#!/bin/bash
# What a terminal shows while one waits (--watch, progress, --quiet), explanations, and output that cannot go anywhere.
set -u
passed=0 failed=0
work=$(mktemp -d) || exit 2
watcher=
trap '[ -z "$watcher" ] || kill "$watcher" 2>/dev/null; rm -rf "$work"' EXIT

expect() { # SENTENCE COMMAND...
	local sentence=$1
	shift
	if "$@" >"$work/expected" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		head -n 20 "$work/expected"
		echo "comfort: $sentence; it was: $*"
	fi
}

# Waits up to ten seconds until a command succeeds.
until_so() {
	local i
	for ((i = 0; i < 200; i++)); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.05
	done
	return 1
}

# ---- --watch ----

reports() { [ "$(grep -c ' in 1 file' "$work/watched")" = "$1" ]; }

# start_watching FILE...
start_watching() {
	set -m # as a job of its own, so that SIGINT is not ignored
	parplan check --watch "$@" >"$work/watched" 2>&1 </dev/null &
	watcher=$!
	set +m
}

stop_watching() { # exit status in $status
	kill -INT "$watcher"
	wait "$watcher" 2>/dev/null
	status=$?
	watcher=
}

config() { # KEY
	printf '[job]\n[training]\nseq_len = 2048\n%s = 1\n' "$1"
}

mkdir "$work/here"
cd "$work/here" || exit 2
config local_batch_size >a.toml
start_watching --world 8 a.toml
expect "--watch reports at once" until_so reports 1
config local_batch_sise >a.toml
expect "--watch sees a file that was written" until_so reports 2
expect "the second report is about the new text" grep -q local_batch_sise "$work/watched"
config local_batch_size >b.toml && mv b.toml a.toml
expect "--watch sees a file that was renamed into place" until_so reports 3
echo 'torch==2.8.0' >requirements.txt
expect "--watch sees a file that appears beside the config" until_so reports 4
expect "the report is by the version it names" grep -q 'torch 2.8.0' "$work/watched"
printf 'rules: {unknown-key: off}\n' >.parplan.yaml
expect "--watch sees the project's settings appear" until_so reports 5
rm a.toml
expect "--watch says that the file is gone" until_so grep -q "cannot read 'a.toml'" "$work/watched"
config local_batch_size >a.toml
expect "--watch sees the file come back" until_so reports 6
expect "a file that is no terminal is not cleared" eval "! grep -q $'\033' '$work/watched'"
stop_watching
expect "Ctrl-C ends --watch as a signal ends a program" [ "$status" = 130 ]
expect "--watch refuses stdin" eval "parplan check --watch - 2>&1 | grep -q 'by name'"
cd - >/dev/null || exit 2

# ---- progress ----

# on_terminal COMMAND: what it writes to a terminal as stderr, stdout apart.
on_terminal() { TERM=xterm script -qefc "$1 >'$work/product'" /dev/null </dev/null; }

if command -v script >/dev/null; then
	files=$(for i in $(seq 1500); do echo plans/incidents/dataloader-allowed.yaml; done | tr '\n' ' ')
	echo "parplan check \"\$@\" $files" >"$work/many"
	on_terminal "sh $work/many" >"$work/shown"
	expect "a long check says how far it is" grep -q 'parplan: [0-9]* of 1500 files' "$work/shown"
	expect "the line is erased in the end" eval "tail -c 4 '$work/shown' | grep -q $'\r\033'"
	sh "$work/many" >"$work/silent" 2>"$work/shown"
	expect "the product is the same as without" cmp "$work/silent" "$work/product"
	expect "a stderr that is no terminal gets nothing" [ ! -s "$work/shown" ]
	on_terminal "sh $work/many --quiet" >"$work/shown"
	expect "--quiet says nothing" [ ! -s "$work/shown" ]
	echo '(sleep 0.8; cat plans/hsdp-2x8.yaml) | parplan check -' >"$work/slow"
	on_terminal "sh $work/slow" >"$work/shown"
	expect "a command without steps says that it works" grep -q 'parplan: working' "$work/shown"
	expect "and its product is whole" grep -q 'in 1 file' "$work/product"
	on_terminal "parplan check plans/hsdp-2x8.yaml" >"$work/shown"
	expect "a short check says nothing" [ ! -s "$work/shown" ]
fi

# ---- --explain-all ----

incident=plans/incidents/hsdp-collapse.yaml
parplan check --explain-all $incident $incident >"$work/explained"
expect "--explain-all explains a rule once" [ "$(grep -c '^hsdp-collapsed (' "$work/explained")" = 1 ]
parplan explain hsdp-collapsed | sed '/^Example/,$d' >"$work/rule"
expect "it says what explain says" eval "tail -n \$(wc -l <'$work/rule') '$work/explained' | cmp - '$work/rule'"
expect "it is refused with JSON" eval "! parplan check --explain-all --format json $incident"

# ---- where output cannot go, and what is too wide ----

for command in rules 'check plans/hsdp-2x8.yaml' --help --version 'help versions'; do
	expect "a full disk is not an error to $command" eval "parplan $command 2>&1 >/dev/full | grep -q 'No space left'"
	expect "a full disk does not make $command exit 2" eval "parplan $command >/dev/full 2>&1; [ \$? = 2 ]"
	expect "a closed stdout is not an error to $command" eval "parplan $command 2>&1 >&- | grep -q 'Bad file descriptor'"
done
expect "a full disk is not an error to draw -o" \
	eval "parplan draw plans/hsdp-2x8.yaml --format svg -o /dev/full 2>&1 | grep -q \"cannot write '/dev/full'\""
parplan rules --format json 2>"$work/noise" | head -n 1 >/dev/null
expect "a reader that leaves early makes noise" [ ! -s "$work/noise" ]
parplan --help >"$work/help"
for topic in $(parplan --help | tr -d '\n' | sed 's/.*for all: *//; s/\..*//; s/,/ /g'); do
	expect "there is no help on $topic" parplan help "$topic"
	expect "help on $topic is too wide" eval "! parplan help '$topic' | grep -q '.\{81\}'"
done
expect "help alone is not --help" eval "parplan help | cmp - \"\$work/help\" && parplan -h | cmp - \"\$work/help\""
expect "--help is too wide" eval "! parplan --help | grep -q '.\{81\}'"
expect "the version is not one line" [ "$(parplan --version | wc -l)" = 1 ]
for word in build: sandbox: libyaml PCRE2 'toml++' cgraph; do
	expect "--version --verbose does not name $word" eval "parplan --version --verbose | grep -q '$word'"
done

echo "$passed passed, $failed failed"
