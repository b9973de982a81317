# Every size that a model lacks is in the hint that says how to give it.
for command in sim search; do
	parplan $command --world 16 --set cluster.gpu=h100-sxm testdata/dialects/gpt-neox/19b.yml
	echo
	parplan $command --world 16 --set cluster.gpu=h100-sxm --set model.vocab=50432 testdata/dialects/gpt-neox/19b.yml
	echo
done 2>&1 | grep -v '^$'
parplan check --world 16 testdata/dialects/gpt-neox/19b.yml | grep -A1 'partly judged'
