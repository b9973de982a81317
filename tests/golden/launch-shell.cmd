# One launch in other words of the shell: the right value, or unknown.
cd testdata/launch/shell || exit
for file in *.sh; do
	echo "== $file"
	parplan plan --format json "$file" | jq -c '[.dialect, .world_size, .degrees // .declared, .data_parallel.requested, .data_parallel.applied]'
	parplan check "$file" | grep -E '(note|warning|error): ' || :
done 2>&1
