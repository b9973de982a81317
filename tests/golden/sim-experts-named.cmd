# A step that waits for the loop over experts of transformers before version 5 says so, in sim and as what limits a layout of search; and one that waits for launches.
d=$(mktemp -d); printf 'base_model: Qwen/Qwen3-30B-A3B\nsequence_len: 8192\nmicro_batch_size: 1\ngradient_accumulation_steps: 1\nbf16: true\nfsdp_version: 2\nfsdp_config: {reshard_after_forward: true}\ngradient_checkpointing: true\n' >$d/c.yaml
for version in 0.12.0 0.16.0; do
	o="--world 16 --framework axolotl@$version --set cluster.gpu=h100-sxm --set model.preset=qwen3-30b-a3b"
	echo "== axolotl $version"; parplan sim $o $d/c.yaml | grep -A1 '^  computing'
	parplan sim $o --format json $d/c.yaml | jq -c '[.host_s, .breakdown_s.compute]'
	parplan search $o --fix pp=1 --top 1 --global-batch 16 --format json $d/c.yaml | jq -r '.plans[0].limited_by'
done; rm -r $d
parplan sim plans/ddp-8.yaml | grep -A1 "^  computing"
