# What a launch file fixes, and what it leaves open: unknown.
cd testdata/launch/unknown || exit
for file in known.sh mpi.sh slurm.sbatch torchrun.sh; do
	echo "== $file"
	parplan plan --format json "$file" | jq -c '[.dialect, .world_size, .degrees // .declared, .data_parallel.requested, .data_parallel.applied]'
	parplan check "$file" | grep -E '(note|warning|error): ' || :
done 2>&1
