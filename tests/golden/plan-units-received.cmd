# GiB that a rank receives per step: all-gathers of 2 bytes, again in backward where units are let go, and a
# reduce-scatter of 4. By hand, P = 8030261248: 2 * 15/16 * (2P - layers.31 - root) + 4 * 15/16 * P = 53.87,
# and over 8 ranks with 7/8 instead 50.28.
for version in d7cabfb6c 9a4eebe1c; do
	parplan plan --format json --framework torchtitan@$version plans/incidents/hsdp-collapse.yaml | jq -c '[
		.units[0].shards,
		([.units[] | select(.reshard_after_forward | not).name] | join(" ")),
		([.units[] | .shard_elements * (.shards - 1) * (4 + (if .reshard_after_forward then 4 else 2 end))]
			| add / 1073741824 * 100 | floor / 100)]'
done
