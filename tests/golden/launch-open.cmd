# Values that a condition decides, a switch where the Trainer has a file, and a debugger in front of the launcher.
cd testdata/launch/open || exit
for file in trainer.sh chat.sh debugger.sh; do
	echo "== $file"
	parplan plan --format json "$file" | jq -c '[.dialect, .world_size, .degrees // .declared, .data_parallel.requested]'
	parplan check "$file" | grep -E '(note|warning|error): ' || :
done 2>&1
d=$(mktemp -d) && cp llama.yaml $d
sed 's/\$RATE/fast/' trainer.sh >$d/trainer.sh
sed 's/--deepspeed /--deepspeed 3 /' chat.sh >$d/chat.sh
sed 's/per_node 16/per_node 6/' debugger.sh >$d/debugger.sh
cd $d
for file in trainer.sh chat.sh debugger.sh; do parplan check $file | grep -A1 -E '(warning|error): '; done
rm -r $d
