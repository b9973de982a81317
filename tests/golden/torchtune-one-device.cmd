# Recipes of torchtune's registry for one device are refused torchrun's arguments; a copy of one is nobody's.
d=$(mktemp -d)
cp testdata/dialects/torchtune/one-device.yaml "$d/one.yaml"
for words in "" "--nproc_per_node 1" "--nproc_per_node 2"; do
	echo "tune run $words full_finetune_single_device --config one.yaml" >"$d/run.sh"
	echo "'$words': $(parplan check "$d/run.sh" | grep -c 'does not support distributed')"
done
echo "tune run --nproc_per_node 2 my/full_finetune_single_device.py --config one.yaml" >"$d/run.sh"
parplan check "$d/run.sh" | grep -c 'does not support distributed'
rm -r "$d"
