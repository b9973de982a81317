# What a launch file fixes, and what it leaves open: tasks.
cd testdata/launch/tasks || exit
for file in evaluate.sh image.sh variables.sh job.yaml prepare.sh role.yaml torchrun.yaml; do
	echo "== $file"
	parplan plan --format json "$file" | jq -c '[.dialect, .world_size, .degrees // .declared, .data_parallel.requested, .data_parallel.applied]'
	parplan check "$file" | grep -E '(note|warning|error): ' || :
done 2>&1
