# A config whose world nobody gives is judged in part: --strict makes that fail.
printf '[parallelism]\ntensor_parallel_degree = 2\n' | parplan check --framework torchtitan@v0.2.0 --strict -
echo "exit status $?"
printf '[parallelism]\ntensor_parallel_degree = 2\n' | parplan check --framework torchtitan@v0.2.0 -
echo "exit status $?"
parplan check --strict plans/hsdp-2x8.yaml
echo "exit status $?"
