# Scripts that start a training: the number of ranks, and the config that lies beside.
for file in torchtune.slurm composer.sb open.sh launchers.sh beside/submit.sbatch broken.sh; do
	echo "== $file"
	parplan check testdata/dialects/launch-sh/$file
	parplan plan --format json testdata/dialects/launch-sh/$file | jq -c '[.dialect, .world_size, .declared, .error]'
done 2>&1
parplan check --env NUM_NODES=3 testdata/dialects/launch-sh/open.sh
