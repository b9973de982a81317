# The model's own config.json beside the config gives its sizes, and the places of what is wrong.
parplan check --world 8 testdata/convert/house.yaml; parplan convert --world 8 testdata/convert/house.yaml
