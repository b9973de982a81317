# A plan is made of what stops later: a key that the framework's parser refuses, and heads that tp does not divide.
d=$(mktemp -d)
printf '[model]\nname = "llama3"\nflavor = "8B"\n[training]\nstepz = 10\n[parallelism]\ntensor_parallel_degree = 2\n' >"$d/a.toml"
parplan plan --format json --framework torchtitan@v0.2.0 --world 8 "$d/a.toml" >"$d/a.json" 2>/dev/null
echo "$?"
jq -c '[.error, .stops, .degrees.dp_shard]' "$d/a.json"
parplan plan --format json --world 24 --set parallelism.tp=3 --set training.seq_len=8184 plans/fsdp-8.yaml >"$d/b.json" 2>/dev/null
echo "$?"
jq -c '[.error, .stops, .degrees.dp_shard]' "$d/b.json"
rm -r "$d"
