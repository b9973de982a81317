# What a launch file fixes, and what it leaves open: torchtitan.
cd testdata/launch/torchtitan || exit
for file in absent.sh line.sh open.sh wrapper.sh; do
	echo "== $file"
	parplan plan --format json "$file" | jq -c '[.dialect, .world_size, .degrees // .declared, .data_parallel.requested, .data_parallel.applied]'
	parplan check "$file" | grep -E '(note|warning|error): ' || :
done 2>&1
