# A script that leaves its flags to another one: degrees stay unknown, whatever options say beside them.
d=$(mktemp -d)
printf '#!/bin/bash\nTP=32\nPP=2\nMEGATRON_EXTRA_PARAMS="--activations-checkpoint-method uniform "\n. `pwd`/CONFIG.sh\n. `pwd`/SBATCH.sh\n' >"$d/fig.sh"
for option in "" "--set model.preset=llama3-1b" "--set parallelism.tp=8"; do
	parplan explain --world 16 --dialect megatron-sh $option "$d/fig.sh" | grep -E '^parallelism.(tp|pp) '
	echo
done
rm -r "$d"
