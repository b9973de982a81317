# Lists that a recipe has in brackets, recipes that only generate, and scripts that have flags in variables for another script's command.
cd testdata/dialects/megatron
parplan check --world 8 modules.yaml 2>&1
parplan check --world 8 --set='MODEL_ARGS.--recompute-modules="[layernorm moe_acts]"' modules.yaml 2>&1 | grep -A1 'stops with'
parplan check --world 8 inference.yaml 2>&1
d=$(mktemp -d)
sed '/^MODE:/d' inference.yaml >$d/training.yaml
parplan check --world 8 $d/training.yaml 2>&1 | grep -A1 'stops with'
rm -r $d
cd ../../megatron
parplan check --world 8 fragment.sh 2>&1
parplan check --world 8 --set=--sequence-parallel=false fragment.sh 2>&1 | grep -A1 'stops with'
parplan plan --env MAX_SEQ_LENGTH=4096 --world 8 --format json fragment.sh | jq -c .degrees
parplan check generate.sh 2>&1
sed 's/run_text_generation/train/' generate.sh | parplan check - 2>&1 | grep -A1 'stops with'
