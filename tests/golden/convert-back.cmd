# What is written in a framework's words is read by its dialect with the same degrees.
folder=$(mktemp -d)
degrees() { parplan plan --format json --world 16 "$@" | jq -c .degrees; }
degrees testdata/convert/axolotl.yaml
parplan convert testdata/convert/axolotl.yaml -o "$folder/native.yaml"
parplan convert testdata/convert/axolotl.yaml --world 16 --to torchtitan -o "$folder/titan.toml"
parplan convert testdata/convert/axolotl.yaml --world 16 --to accelerate -o "$folder/accelerate.yaml" 2>/dev/null
parplan convert testdata/convert/axolotl.yaml --world 16 --to megatron -o "$folder/args.sh"
echo 'torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py "${MEGATRON_ARGS[@]}"' >>"$folder/args.sh"
parplan check --quiet "$folder/args.sh"
for file in native.yaml titan.toml accelerate.yaml args.sh; do
	degrees "$folder/$file"
done
rm -r "$folder"
