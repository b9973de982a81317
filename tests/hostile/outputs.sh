#!/bin/sh
# Outputs: no input is written over, modes and links are kept, nothing is left behind, no reading error is an end.
# shellcheck disable=SC2034,SC2154,SC3045

mkdir "$work/outputs" && cd "$work/outputs" || exit 2
kept() { if cmp -s "$root/plans/hsdp-2x8.yaml" in.yaml; then pass; else fail "$1: the input is gone"; cp "$root/plans/hsdp-2x8.yaml" in.yaml; fi; }
left() { # SENTENCE
	# shellcheck disable=SC2010
	if ls -A | grep -q 'tmp$'; then fail "$1: a temporary file stays"; rm -f ./*.tmp; else pass; fi
}
cp "$root/plans/hsdp-2x8.yaml" in.yaml
ln in.yaml hard.yaml && ln -s in.yaml soft.yaml
for out in in.yaml ./in.yaml "$PWD/in.yaml" hard.yaml soft.yaml ../outputs/in.yaml; do
	for command in 'report in.yaml -o' 'draw in.yaml --format svg -o' 'draw in.yaml --format dot -o' 'sim in.yaml --trace' \
		'check in.yaml -o' 'check in.yaml --write-baseline' 'check --launcher in.yaml base.yaml -o' \
		'convert in.yaml --to torchtitan -o' 'init in.yaml -o' 'check --config in.yaml base.yaml -o'; do
		cp in.yaml base.yaml 2>/dev/null
		# shellcheck disable=SC2086
		p $command "$out"
		exits 2 "$command $out"
		kept "$command $out"
	done
done
# What a config leads to is an input, too.
mkdir parents && cp "$root/testdata/dialects/nemo-rl/grpo-base.yaml" parents/base.yaml 2>/dev/null
printf 'defaults: base.yaml\npolicy: {model_name: a/b}\ncluster: {num_nodes: 1, gpus_per_node: 8}\n' >parents/a.yaml
cp parents/base.yaml "$work/before"
echo 'rules: {}' >parents/.parplan.yaml
for out in parents/base.yaml parents/.parplan.yaml; do
	p check parents/a.yaml -o $out
	exits 2 "check -o $out"
	p sim parents/a.yaml --trace $out
	exits 2 "sim --trace $out"
	p report parents/a.yaml -o $out
	exits 2 "report -o $out"
done
if cmp -s parents/base.yaml "$work/before"; then pass; else fail 'a parent is gone'; fi

# Modes, links and names.
echo old >private && chmod 600 private
p check in.yaml -o private
if [ "$(stat -c %a private)" = 600 ]; then pass; else fail "the mode is not kept: $(stat -c %a private)"; fi
mkdir sub && echo old >sub/real && ln -s sub/real link
p check in.yaml -o link
if [ -L link ] && grep -q finding sub/real; then pass; else fail 'a link is not followed'; fi
mkfifo nobody
p check in.yaml -o nobody
exits 2 'a pipe that nobody reads'
touch new.html.tmp.note
for name in 1 2 3 4 5 6 7 8 9; do touch "page.html.$name.tmp"; done
rm -f page.html.*.tmp
(umask 027 && p check in.yaml -o fresh)
if [ "$(stat -c %a fresh)" = 640 ]; then pass; else fail "the umask is not kept: $(stat -c %a fresh)"; fi

# Limits and signals.
(ulimit -f 8 && parplan report in.yaml -o page.html >"$work/out" 2>&1)
status=$?
exits 2 'a limit on files'
says 'File too large' 'a limit on files'
left 'a limit on files'
(ulimit -f 1 && parplan report in.yaml -o - >"$work/page" 2>"$work/out")
status=$?
exits 2 'a limit on stdout'
for signal in KILL TERM INT HUP; do
	for n in 1 2 3 4 5; do
		rm -f page.html # what is there is replaced by a file that has a name for a moment
		parplan report in.yaml -o page.html >/dev/null 2>"$work/out" &
		victim=$!
		sleep "0.0$n"
		kill -$signal $victim 2>/dev/null
		wait $victim 2>/dev/null
	done
	left "SIG$signal"
	if [ ! -e page.html ] || tail -c 16 page.html | grep -q '</html>'; then pass; else fail "SIG$signal: half a page"; fi
done
mkfifo slow
parplan check slow 2>"$work/out" &
victim=$!
sleep 0.2
kill -TERM $victim
wait $victim 2>/dev/null
status=$?
exits 2 'SIGTERM'
says 'ended by SIGTERM' 'SIGTERM'

# A read that fails is told, with the file's name; what the others say is not lost.
cp "$root/testdata/logs/broken.log" b.log 2>/dev/null || cp "$root/testdata/logs/degrees.log" b.log
p why /proc/self/mem
exits 2 'a log that cannot be read'
says "/proc/self/mem': Input/output error" 'a log that cannot be read'
p why b.log
cp "$work/out" "$work/whole"
gzip -c b.log >b.log.gz
for packed in b.log.gz b.log.zst; do
	[ "$packed" = b.log.gz ] || zstd -qc b.log >b.log.zst || continue
	p why $packed
	exits 0 "$packed"
	if [ "$(grep -c . "$work/out")" = "$(grep -c . "$work/whole")" ]; then pass; else fail "$packed: not what it says unpacked"; fi
done
p why b.log /proc/self/mem nowhere.log
exits 2 'one log of three'
says 'b.log' 'one log of three'
says '/proc/self/mem' 'one log of three'
says 'nowhere.log' 'one log of three'
head -c $(($(wc -c <b.log.gz) / 2)) b.log.gz >cut.log.gz
p why cut.log.gz
exits 2 'a log that is packed in part'
says 'gzip could not unpack all of it' 'a log that is packed in part'
p verify "$root/plans/hsdp-2x8.yaml" /proc/self/mem "$root/testdata/evidence/recorder"
exits 2 'evidence that cannot be read'
says '/proc/self/mem' 'evidence that cannot be read'
p check in.yaml nowhere.yaml "$root/plans/mistake-degrees.yaml"
exits 2 'one config of three'
says 'nowhere.yaml' 'one config of three'
says 'mistake-degrees.yaml' 'one config of three'
cp in.yaml plain.yaml && echo 'a: [' >broken.yaml
p check nowhere.yaml broken.yaml plain.yaml -o both.txt
exits 2 'a report of what could be read'
if grep -q 'broken.yaml' both.txt; then pass; else fail 'a report of what could be read: it is not written'; fi
