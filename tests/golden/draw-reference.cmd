# The frozen model beside the trained one has its name wherever memory is shown: in sim, the figure, the trace and does-not-fit; where there is none, nothing names it.
d=$(mktemp -d); for rl in dpo orpo; do printf "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\ngradient_checkpointing: true\nbf16: true\nfsdp_version: 2\nfsdp_config: {reshard_after_forward: true}\nrl: $rl\n" >$d/$rl.yaml; echo "== $rl"
	parplan sim --world 8 --set cluster.gpu=h100-sxm --trace $d/trace $d/$rl.yaml | grep '^  reference'
	parplan draw --figure memory --world 8 --set cluster.gpu=h100-sxm $d/$rl.yaml | grep -o '[a-z, ]*parameters.*optimizer'
	jq -c '[.traceEvents[] | select(.ph == "C")][0].args' $d/trace
	parplan check --explain-all --world 8 --set cluster.gpu=a10g $d/$rl.yaml 2>&1 | grep 'of activations'
done; rm -r $d
