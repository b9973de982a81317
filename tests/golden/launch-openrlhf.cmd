# What a launch file fixes, and what it leaves open: openrlhf.
cd testdata/launch/openrlhf || exit
for file in open.sh ray.sh sft.sh; do
	echo "== $file"
	parplan plan --format json "$file" | jq -c '[.dialect, .world_size, .degrees // .declared, .data_parallel.requested, .data_parallel.applied]'
	parplan check "$file" | grep -E '(note|warning|error): ' || :
done 2>&1
