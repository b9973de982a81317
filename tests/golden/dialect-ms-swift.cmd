# ms-swift's scripts and YAML: what is told of each.
for file in moe.sh sft.yaml trainer.sh ray.yaml groups.yaml broken.sh; do
	echo "== $file"
	parplan check testdata/dialects/ms-swift/$file
	parplan plan --format json testdata/dialects/ms-swift/$file | jq -c '[.dialect, .world_size, .declared, .error]'
done 2>&1
parplan plan testdata/dialects/ms-swift/moe.sh
parplan plan --set tensor_model_parallel_size=2 --format json testdata/dialects/ms-swift/moe.sh | jq -c .declared
