# Options and flags that are not spelt out: read where the parser takes the beginning of one, refused where it does not.
cd testdata/launch/options || exit
for file in prefix.sh two-spellings.sh refused.sh program.sh own.sh deepspeed.sh; do
	echo "== $file"
	parplan plan --format json "$file" | jq -c '[.dialect, .world_size, .degrees // .declared]'
	parplan check --framework megatron@core_v0.12.0 "$file" | grep -E '(note|warning|error): |fix: ' || :
done 2>&1
