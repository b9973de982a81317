# What is written in a framework's words is read by its dialect with the same degrees.
folder=$(mktemp -d)
degrees() { parplan plan --format json --world 16 "$@" | jq -c .degrees; }
degrees testdata/convert/axolotl.yaml
parplan convert testdata/convert/axolotl.yaml -o "$folder/native.yaml"
parplan convert testdata/convert/axolotl.yaml --world 16 --to torchtitan -o "$folder/titan.toml"
parplan convert testdata/convert/axolotl.yaml --world 16 --to accelerate -o "$folder/accelerate.yaml" 2>/dev/null
for file in native.yaml titan.toml accelerate.yaml; do
	degrees "$folder/$file"
done
rm -r "$folder"
