# Our own keys, given by --set, are none that a framework refuses; others are.
for f in nanotron/experts.yaml llm-foundry/hsdp-tp.yaml llama-factory/full-zero3.yaml; do
	parplan check --set parallelism.cp=2 --set cluster.gpu=h100-sxm --set model.preset=llama3-8b --format gcc testdata/dialects/$f | grep -c unknown-key
done
parplan check --set parallelism.dpp=2 --format gcc testdata/dialects/nanotron/experts.yaml | grep unknown-key
