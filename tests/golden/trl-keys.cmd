# Arguments that lack a letter, of which no setting is made; and some that are another script's own.
T=$(mktemp -d) && cd "$T" || exit 2
for said in 'gradient_chckpointing: true' 'num_genrations: 8' 'max_lngth: 2048' 'learning_rte: 1e-5' 'outpt_dir: o' 'bf6: true' 'max_length: 2048' 'my_own_argument: 1' 'learning_rate: 1e-5\nlearning_rates: 2e-5'; do
	printf '%b' "model_name_or_path: Qwen/Qwen3-4B\ndataset_name: a/b\nper_device_train_batch_size: 1\n$said\n" >config.yaml
	printf '%s -> ' "$said"
	parplan check --ignore sharing-unknown --world 8 --format json config.yaml | jq -r '[.files[].findings[] | .severity + ": " + .message + (if .fix then " (" + .fix.description + ")" else "" end)] | if . == [] then "nothing" else join("; ") end'
done
