# What a launch file fixes, and what it leaves open: megatron.
cd testdata/launch/megatron || exit
for file in branches.sh commands.sh container.sbatch hidden.sh placeholders.sh positional.sh slime.sh underscores.sh; do
	echo "== $file"
	parplan plan --format json "$file" | jq -c '[.dialect, .world_size, .degrees // .declared, .data_parallel.requested, .data_parallel.applied]'
	parplan check "$file" | grep -E '(note|warning|error): ' || :
done 2>&1
