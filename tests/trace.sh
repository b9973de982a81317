#!/bin/sh
# Timelines of `parplan sim --trace`: what tests/trace.py holds every trace to, over plans with and without a
# pipeline, one with more tasks than are shown, and files that cannot be written. Silent where there is no Python.
set -u
command -v python3 >/dev/null || { echo "0 passed, 0 failed"; exit 0; }
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

pass() { passed=$((passed + 1)); }
fail() {
	failed=$((failed + 1))
	echo "$1"
}

valid() { # PLAN OPTIONS...
	parplan sim --trace - "$@" >"$work/trace" 2>"$work/why" # 1: it runs out of memory, and is drawn all the same
	if [ $? -le 1 ] && python3 -B tests/trace.py "$work/trace" >"$work/why" 2>&1; then
		pass
	else
		fail "parplan sim --trace - $*: $(cat "$work/why")"
	fi
}

valid plans/hsdp-2x8.yaml
valid plans/hsdp-2x8.yaml --set training.global_batch_size=4096
valid plans/pp-interleaved-405b.yaml
valid plans/pp-interleaved-405b.yaml --set parallelism.pipeline.schedule=ZBVZeroBubble
valid plans/five-d.yaml --set cluster.gpu=h100-sxm
valid plans/moe-ep-deepseek-16b.yaml --set cluster.gpu=h100-sxm
valid testdata/mistakes/E2-pipeline-not-needed.yaml

# More tasks than are shown one by one: folded, counted, and small.
many="--set parallelism.pp=64 --set parallelism.dp_shard=1 --set training.local_batch_size=1024
	--set parallelism.pipeline.schedule=1F1B --set parallelism.pipeline.layers_per_stage=2"
# shellcheck disable=SC2086
valid plans/pp-interleaved-405b.yaml $many
if [ "$(wc -c <"$work/trace")" -lt 50000000 ] && grep -q '"cat":"folded"' "$work/trace" &&
	! grep -q '"tasks_left_out":0,' "$work/trace"; then
	pass
else
	fail "a long pipeline is not folded, or to $(wc -c <"$work/trace") bytes"
fi

# A second time the same bytes; a file that cannot be written is left as it was.
parplan sim --trace "$work/again" plans/hsdp-2x8.yaml >/dev/null
parplan sim --trace - plans/hsdp-2x8.yaml >"$work/first"
if cmp -s "$work/first" "$work/again"; then pass; else fail "two traces of one plan differ"; fi
parplan sim --trace "$work/no/such/folder" plans/hsdp-2x8.yaml >"$work/out" 2>"$work/why"
if [ $? = 2 ] && [ ! -s "$work/out" ] && grep -q "cannot write" "$work/why"; then
	pass
else
	fail "a trace that cannot be written: $(cat "$work/why")"
fi

# What the check must find: a slice that overlaps the next, an arrow without an end.
sed '0,/"dur":[0-9]*/s//"dur":99999999/' "$work/first" >"$work/bad"
if python3 -B tests/trace.py "$work/bad" >/dev/null 2>&1; then fail "an overlap is not found"; else pass; fi
grep -v '"ph":"f"' "$work/first" >"$work/bad"
if python3 -B tests/trace.py "$work/bad" >/dev/null 2>&1; then fail "an arrow without an end is not found"; else pass; fi
echo "$passed passed, $failed failed"
