# A config and the file that starts it: what the second says wins, and points into it.
cd testdata/dialects/launcher || exit
parplan check titan.toml --launcher titan.sbatch
parplan plan torchtune.yaml --launcher torchtune.sh
parplan check accelerate.yaml --launcher accelerate.sh
parplan explain torchtune.yaml tensor_parallel_dim --launcher torchtune.sh
parplan check torchtune.yaml --launcher nowhere.sh
parplan check torchtune.yaml --launcher accelerate.yaml
