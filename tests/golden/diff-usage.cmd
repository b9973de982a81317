for words in 'plans/fsdp-8.yaml' '- -' 'a b c' 'x --framework torchtitan@v9..HEAD' 'x --framework torch@1..2.9' \
	'x --framework torchao@1..2' 'x --framework torchtitan@..' 'x --framework torchtitan@a..b --framework torch@1..2' \
	'plans/fsdp-8.yaml --framework torchtitan@v0.2.2..v0.1.0' 'plans/incidents/float8-submesh.yaml --framework torchtitan@..HEAD' \
	'plans/fsdp-8.yaml --framework @v0.1.0..HEAD'; do
	# shellcheck disable=SC2086
	parplan diff $words
	echo "exit status $?"
done
