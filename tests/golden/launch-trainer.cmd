# What a launch file fixes, and what it leaves open: trainer.
cd testdata/launch/trainer || exit
for file in beginnings.sh fsdp.sh open.sh plain.sh zero.sh; do
	echo "== $file"
	parplan plan --format json "$file" | jq -c '[.dialect, .world_size, .degrees // .declared, .data_parallel.requested, .data_parallel.applied]'
	parplan check "$file" | grep -E '(note|warning|error): ' || :
done 2>&1
