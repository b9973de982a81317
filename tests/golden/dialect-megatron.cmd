# Megatron-LM's YAML: flags of test recipes, and files for --yaml-cfg.
for file in recipe moe experts yaml_cfg broken; do
	echo "== $file"
	parplan check --world 8 testdata/dialects/megatron/$file.yaml
	parplan plan --format json --world 8 testdata/dialects/megatron/$file.yaml | jq -c '[.dialect, .declared, .degrees, .error.message]'
done 2>&1
parplan plan --world 8 testdata/dialects/megatron/recipe.yaml
parplan plan --world 64 testdata/dialects/megatron/experts.yaml
parplan check --env CP=2 testdata/dialects/megatron/broken.yaml
