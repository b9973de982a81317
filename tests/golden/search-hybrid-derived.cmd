# Ranks that a framework cuts by a rule of its own are shown as plan shows them: a copy for each node.
parplan search --gpu h100-sxm --set model.preset=llama3-1b --top 1 testdata/dialects/litgpt/pretrain.yaml | sed -n '/ 1~/p'
parplan plan testdata/dialects/litgpt/pretrain.yaml | grep dp_replicate | head -1
