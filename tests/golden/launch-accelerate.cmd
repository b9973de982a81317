# What a launch file fixes, and what it leaves open: accelerate.
cd testdata/launch/accelerate || exit
for file in default.sh file.sh hybrid.sh mesh.sh open.sh visible.sh zero.sh; do
	echo "== $file"
	parplan plan --format json "$file" | jq -c '[.dialect, .world_size, .degrees // .declared, .data_parallel.requested, .data_parallel.applied]'
	parplan check "$file" | grep -E '(note|warning|error): ' || :
done 2>&1
