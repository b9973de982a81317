parplan check testdata/rules/tp-across-nodes.yaml --expect clean=topology; parplan check plans/torchtitan-llama3-8b.toml --world 16 --expect clean=[topology,tp-across-nodes] --error expect-unjudged
