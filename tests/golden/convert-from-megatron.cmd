# A model known by its sizes alone, replicas that TorchTitan has not, and what only tunes.
parplan convert testdata/convert/megatron.sh --to torchtitan; parplan convert testdata/convert/megatron.sh --to torchtune
