# NeMo-RL's programs, which Ray gives their ranks, with a config that builds on another, or one of their own.
cd testdata/launch/nemo-rl || exit
for file in run.sh own.sh; do
	echo "== $file"
	parplan plan --format json "$file" | jq -c '[.dialect, .world_size, .degrees // .declared, .data_parallel.requested, .data_parallel.applied]'
	parplan check "$file" | grep -A1 -E '(note|warning|error): ' || :
done 2>&1
d=$(mktemp -d) && cp -r base.yaml recipes run.sh $d && cd $d
sed 's/NUM_NODES=4/NUM_NODES=3/; s/_size=2/_size=8/' run.sh >three.sh && parplan check three.sh | grep -A1 -E 'error: '
rm -r $d
