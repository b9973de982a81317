# Config functions in Python: what is plain is read, what is not is unknown and said.
cd testdata/python || exit
for name in begins_with_known section_replaced from_classes from_here from_environment from_elsewhere changed_elsewhere branches; do
	echo "== $name"
	set -- --framework torchtitan@b5bcd76c6 --world 64 team/config_registry.py -- --module team --config $name
	parplan plan --format json "$@" | jq -c '[.dialect, .degrees, .data_parallel.requested]'
	parplan explain "$@" | grep -E '^(model.preset|model.experiment|model.attention|parallelism.tp|training.(seq_len|steps|compile|activation_checkpoint.mode|float8.enabled)) = '
	parplan check "$@" | grep -E '(note|warning|error|judged): ' || :
done 2>&1
echo '== which function is not said'
parplan check --world 64 team/config_registry.py 2>&1
echo '== the only function'
parplan check --framework torchtitan@b5bcd76c6 --world 64 one.py
echo '== no config'
parplan check train.py
echo '== a launch line that names the module'
parplan plan --framework torchtitan@b5bcd76c6 --format json run.sh | jq -c '[.dialect, .world_size, .degrees]'
parplan explain --framework torchtitan@b5bcd76c6 run.sh parallelism.tp training.steps
