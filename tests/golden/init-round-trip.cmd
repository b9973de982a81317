# A native config made from another one checks clean and gives the same plan.
parts='{degrees, root, views, meshes, data_parallel, units, parameters, stages, error}'
flags='--parallelism.tensor_parallel_degree 4'
folder=$(mktemp -d)
parplan plan --format json --world 16 testdata/titan/llama3-8b.toml -- $flags | jq "$parts" >"$folder/toml"
parplan init --world 16 testdata/titan/llama3-8b.toml -- $flags >"$folder/native.yaml"
parplan plan --format json "$folder/native.yaml" | jq "$parts" >"$folder/native"
test -s "$folder/toml" && cmp "$folder/toml" "$folder/native" && echo same plan
parplan check --quiet "$folder/native.yaml"
rm -r "$folder"
