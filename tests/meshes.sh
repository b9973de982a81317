#!/bin/sh
# Every row of testdata/torchtitan/meshes.tsv: the config it stands for is planned
# and what comes of it compared. UPDATE=1 rewrites the last column (read the diff).
set -u
table=testdata/torchtitan/meshes.tsv
passed=0 failed=0
tab=$(printf '\t')
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# The outcome in one line: the exception, or strategy, groups of rank 0 and meshes.
cat >"$dir/outcome.jq" <<'JQ'
def groups: if . == null or length == 0 then "-"
  else "[\(map(select(index(0))) | .[0] | map(tostring) | join(","))]x\(length)" end;
def mesh: if type == "object" then (.shard | join("+")) + (if .replicate then "|" + .replicate else "" end)
  elif length == 0 then "-" else join("+") end;
if .error then "\(.error.type): \(.error.message)"
else
  .data_parallel as $dp
  | "\($dp.requested) -> \($dp.applied), mesh \($dp.mesh | mesh), shard \($dp.shard_groups | groups), replicate \($dp.replicate_groups | groups)"
    + (if $dp.expert then ", experts \($dp.expert.mesh | mesh) \($dp.expert.shard_groups | groups)" else "" end)
    + "; " + ([.meshes | to_entries | sort_by(.key)[] | select(.value.exists)
      | .key + (if .value.backend == "fake" then "(fake)" else "" end) + "=" + (.value.groups | groups)] | join(" "))
end
JQ

# Plans first, then one look at all of them: a jq for each would take longer than parplan.
while IFS=$tab read -r version model world parallelism _; do
	case $version in
	'' | '#'*) continue ;;
	esac
	{
		echo "parplan: 1"
		echo "framework: {torchtitan: ${version% ft}}"
		[ "$version" = "${version% ft}" ] || echo "fault_tolerance: {enabled: true}"
		echo "model: $model"
		echo "parallelism: $parallelism"
		echo "training: {seq_len: 9216, local_batch_size: 8, cuda_graph: false}"
	} >"$dir/config.yaml"
	"$BIN" plan --format json --world "$world" "$dir/config.yaml" >"$dir/plan" 2>"$dir/err"
	if [ -s "$dir/plan" ]; then
		cat "$dir/plan"
	else # what it said instead
		jq -n --rawfile err "$dir/err" '{error: {type: "parplan", message: ($err | split("\n")[0])}}'
	fi
done <"$table" >"$dir/plans"
jq -r -f "$dir/outcome.jq" "$dir/plans" | sed 's/ *$//' >"$dir/outcomes"

while IFS=$tab read -r version model world parallelism want; do
	case $version in
	'' | '#'*)
		printf '%s\n' "$version" >>"$dir/new"
		continue
		;;
	esac
	IFS= read -r got <&3
	printf '%s\t%s\t%s\t%s\t%s\n' "$version" "$model" "$world" "$parallelism" "$got" >>"$dir/new"
	if [ "$got" = "$want" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'torchtitan %s, %s, world %s, %s\n  want %s\n  got  %s\n' \
			"$version" "$model" "$world" "$parallelism" "$want" "$got"
	fi
done <"$table" 3<"$dir/outcomes"
[ -z "${UPDATE-}" ] || cp "$dir/new" "$table"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
