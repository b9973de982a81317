#!/bin/sh
# Pages of parplan report: well-formed, closed to what configs say (testdata/report and files made here), sound in
# ids, headings, tables and policy; written whole or not at all; small for 16,384 ranks. Where there is
# Chromium, its layout of some of them in six ways (tests/report/layout.js).
set -u
command -v python3 >/dev/null || exit 0
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

verdict() { # STATUS COMPLAINT
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$2"
	fi
}
check() { # PAGE...
	python3 -B tests/report/check.py "$@" >"$work/faults"
	verdict $? "$(head -n 20 "$work/faults")"
}

# ---- pages of good configs, bad ones and hostile ones ----

mkdir "$work/in" "$work/out"
cp testdata/report/*.yaml "$work/in"
cp testdata/report/hostile.yaml "$work/in/\"><script>alert(1)<"
cp plans/incidents/hsdp-collapse.yaml "$work/in/\"'<svg><script>alert(1)< $(printf '\342\200\256\033\377').yaml"
{
	echo 'parplan: 1'
	printf 'model: "\377\300\200\355\240\200"\ncluster: {gpu: \033[31m\002, nodes: 1}\n'
} >"$work/in/bytes.yaml"
{
	echo 'parplan: 1'
	awk 'BEGIN { printf "\"<i>"; for (i = 0; i < 100000; i++) printf "%c", 97 + i % 26; print "\": 1" }'
	awk 'BEGIN { printf "model: "; for (i = 0; i < 20000; i++) printf "<b>"; print "" }'
} >"$work/in/long.yaml"

for file in plans/*.yaml plans/*.toml plans/incidents/* "$work"/in/*; do
	page=$work/out/$(basename "$file").html
	parplan report "$file" -o "$page" 2>"$work/why"
	[ $? -le 1 ] && [ -s "$page" ] && [ ! -s "$work/why" ]
	verdict $? "parplan report $file: $(cat "$work/why")"
done
parplan report plans/*.yaml "$work"/in/* -o "$work/out/all.html" 2>/dev/null

# With a search: of a config that runs, of one no layout of which does, of one whose batch nobody says.
for file in plans/fsdp-8.yaml plans/incidents/renamed-keys.toml plans/mesh-of-a-script.yaml; do
	page=$work/out/search-$(basename "$file").html
	parplan report --search "$file" -o "$page" 2>"$work/why"
	[ $? -le 1 ] && grep -q '>Search</h3>' "$page" && [ ! -s "$work/why" ]
	verdict $? "parplan report --search $file: $(cat "$work/why")"
done

# Incidents: logs whose names, hosts and texts are markup; with the config, without, without a rank.
mkdir "$work/logs"
{
	cat testdata/logs/memory.log
	printf 'Traceback (most recent call last):\n  File "<i>", line 1, in <b>\n<b>Error: </pre><script>alert(1)\n'
} >"$work/logs/\"><script>alert(1)<.log"
sed 's/node-1/<b>\&"/g' testdata/logs/hang.log >"$work/logs/hang.log"
cp testdata/logs/silent.log "$work/logs"
for file in "$work"/logs/*; do
	page=$work/out/incident-$(basename "$file").html
	parplan report "$file" plans/hsdp-2x8.yaml -o "$page" 2>"$work/why"
	[ $? -le 1 ] && [ -s "$page" ] && [ ! -s "$work/why" ]
	verdict $? "parplan report $file: $(cat "$work/why")"
done
parplan report "$work/logs" -o "$work/out/incidents.html" 2>"$work/why"
verdict $? "parplan report of a folder of logs: $(cat "$work/why")"
grep -q 'id="f0-ranks-table"' "$work/out/incident-hang.log.html"
verdict $? 'the page of a hang does not list who is waited for'
check "$work"/out/*.html
if command -v xmllint >/dev/null; then
	xmllint --noout --nonet "$work"/out/*.html 2>"$work/faults"
	verdict $? "$(head -n 20 "$work/faults")"
fi

# What was built otherwise has a table; an exception is told above it and is no row.
for name in ep-hsdp-main hsdp-collapse hsdp-cp-collapse; do
	grep -q 'Not as asked for</caption>' "$work/out/$name.yaml.html"
	verdict $? "$name.yaml.html does not say what is not as asked for"
done
for name in mistake-degrees ft-flatten five-d; do
	! grep -q 'Not as asked for</caption>' "$work/out/$name.yaml.html"
	verdict $? "$name.yaml.html has a table of what is not as asked for"
done

# ---- what the check is for, it finds ----

spoil() { # WHAT SCRIPT: a page that sed has spoilt
	sed "$2" "$work/out/hsdp-2x8.yaml.html" >"$work/spoilt.html"
	! python3 -B tests/report/check.py "$work/spoilt.html" >/dev/null
	verdict $? "check.py overlooks $1"
}
spoil 'a handler' 's/<main/<main onclick="x"/'
spoil 'an image' 's/<main id="content" tabindex="-1">/&<img alt=""\/>/'
spoil 'a changed script' 's/"use strict";/&alert(1);/'
spoil 'an id twice' 's/id="f1-plan"/id="f1-figures"/'
spoil 'a link to elsewhere' 's/href="#content"/href="https:\/\/example.org\/"/'
spoil 'a heading left out' 's/<h2 id="f1">\([^<]*\)<\/h2>/<p id="f1">\1<\/p>/'
spoil 'broken markup' 's/<\/main>//'

# ---- whole or not at all; the same each time ----

echo before >"$work/kept.html"
parplan report plans/hsdp-2x8.yaml "$work/none.yaml" -o "$work/kept.html" 2>/dev/null
[ $? = 2 ] && [ "$(cat "$work/kept.html")" = before ]
verdict $? 'report: a page that failed is not left as it was'
parplan report plans/five-d.yaml -o - >"$work/again.html" && cmp -s "$work/again.html" "$work/out/five-d.yaml.html"
verdict $? 'report: -o - and -o FILE give different pages'

# ---- 16,384 ranks ----

large="--set parallelism.dp_shard=-1 --set cluster.nodes=2048 --world 16384"
# shellcheck disable=SC2086
parplan report $large plans/pp-interleaved-405b.yaml -o "$work/large.html" 2>/dev/null
bytes=$(wc -c <"$work/large.html")
[ "$bytes" -lt 2000000 ]
verdict $? "report: $bytes bytes for 16,384 ranks"
check "$work/large.html"

# ---- as a browser lays it out ----

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || browser=
if [ -n "$browser" ]; then
	# This one is too wide, and too pale: what layout.js is for, it finds.
	sed '/Content-Security-Policy/d; s/max-width:112rem/width:110rem/; s/--quiet:#59636e/--quiet:#aaaaaa/' \
		"$work/out/hsdp-2x8.yaml.html" >"$work/spoilt.html"
	tests/report/frames "$work/out/hsdp-2x8.yaml.html" "$work/out/mistake-degrees.yaml.html" "$work/out/five-d.yaml.html" \
		"$work/out/hostile.yaml.html" "$work/out/long.yaml.html" "$work/large.html" "$work/spoilt.html" >"$work/frames.html"
	HOME=$work timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
		--allow-file-access-from-files --virtual-time-budget=10000 --dump-dom "file://$work/frames.html" 2>/dev/null |
		sed -n '/^<html.*<pre id="faults">/,/<\/pre>/p' | sed 's/<[^>]*>//g' >"$work/faults"
	if grep -q '^frames: 42' "$work/faults"; then
		grep -q '^spoilt.html.*1600 px.*sideways' "$work/faults" &&
			grep -q '^spoilt.html.*light: contrast' "$work/faults"
		verdict $? 'layout.js overlooks a page that is too wide and too pale'
		! grep -v 'spoilt.html\|^frames: ' "$work/faults" >"$work/others"
		verdict $? "$(head -n 20 "$work/others")"
	else
		echo "report: layouts are not looked at: $browser does not run here"
	fi
fi
echo "$passed passed, $failed failed"
