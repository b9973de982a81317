parplan convert testdata/convert/torchtune.yaml; parplan convert --to megatron --fail-on warning testdata/convert/torchtune.yaml
