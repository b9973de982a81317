# What is trained for is a setting that two files may differ in, and one that accelerate leaves to the script.
d=$(mktemp -d)
ax='base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\nbf16: true\nfsdp_version: 2\nfsdp_config: {reshard_after_forward: true}\n'
printf "$ax" >"$d/sft.yaml"
printf "${ax}rl: dpo\n" >"$d/dpo.yaml"
cd "$d"
parplan diff --world 8 sft.yaml dpo.yaml | sed -n '/^Settings/,$p'
parplan convert --world 8 --to accelerate --fail-on warning dpo.yaml 2>&1 | grep -A 4 'leaves to'
rm -r "$d"
