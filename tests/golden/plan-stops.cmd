# A plan is made of what stops later: a key that the framework's parser refuses, and heads that tp does not divide; an
# exception without words, words without an exception, and an expectation, at which nothing stops; a project may know better.
d=$(mktemp -d)
printf '[model]\nname = "llama3"\nflavor = "8B"\n[training]\nstepz = 10\n[parallelism]\ntensor_parallel_degree = 2\n' >"$d/a.toml"
parplan plan --format json --framework torchtitan@v0.2.0 --world 8 "$d/a.toml" >"$d/a.json" 2>/dev/null
echo "$?"
jq -c '[.error, .stops, .degrees.dp_shard]' "$d/a.json"
parplan plan --format json --world 24 --set parallelism.tp=3 --set training.seq_len=8184 plans/fsdp-8.yaml >"$d/b.json" 2>/dev/null
echo "$?"
jq -c '[.error, .stops, .degrees.dp_shard]' "$d/b.json"
for rule in two-precisions reserved-environment expect-checkpoint; do
	parplan plan --format json "testdata/rules/$rule.yaml" 2>/dev/null | jq -c .stops
done
mkdir "$d/.git"
echo 'rules: {heads-divisibility: off}' >"$d/.parplan.yaml"
printf 'parplan: 1\nworld: 24\nmodel: llama3-8b\nparallelism: {tp: 3}\ntraining: {seq_len: 8184}\n' >"$d/off.yaml"
for command in plan 'sim --set cluster.gpu=h100-sxm'; do
	parplan $command --format json "$d/off.yaml" | jq -c '[.stops, .error]'
done
parplan report testdata/mistakes/B8-experts-borrow.yaml -o - | grep -o 'class="outcome[^<]*'
# not all versions that fit do
parplan report --world 8 testdata/titan/own-schedule.toml -o - | grep -oE 'class="outcome[^.]*|(may stop|stops) with ValueError|No forecast[^.]*\.[^:]*'
rm -r "$d"
