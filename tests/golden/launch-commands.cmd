# What a launch file fixes, and what it leaves open: commands.
cd testdata/launch/commands || exit
for file in axolotl.sh litgpt.sh llama-factory.sh oumi.sh swift.sh trl.sh tune-absent.sh tune.sh; do
	echo "== $file"
	parplan plan --format json "$file" | jq -c '[.dialect, .world_size, .degrees // .declared, .data_parallel.requested, .data_parallel.applied]'
	parplan check "$file" | grep -E '(note|warning|error): ' || :
done 2>&1
