# Models that launch scripts name by a folder: their sizes are those of its config.json, where the script has gone by cd, in the working directory, beside the script or at the root of the repository. A config.json that the path does not lead to (19 layers) is none of theirs; one that is broken or of another family is told, and no name stands in for it.
cd testdata/launch/model && export COLUMNS=240 || exit
sized() { echo "== $*" && parplan explain "$@" model.layers | head -n 1; parplan check "$@" | grep -E 'syntax-error|unsized-model' -A 4 | grep -E '(note|error|fix): ' || :; }
for file in run-clm own accelerate trl llama-factory openrlhf openrlhf-ray verl verl-sft scripts/beside scripts/above cd; do sized $file.sh; done
for file in absent broken mamba resnet open; do sized $file.sh; done
cd scripts && sized beside.sh
