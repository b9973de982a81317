# A file of Megatron-LM's own that does not ask for overlap has the step of one that says there is none; each flag makes it
# shorter. The search asks for the overlap of tensor parallelism.
cd testdata/megatron
seconds() { parplan sim --gpu h100-sxm --format json overlap.sh "$@" | jq .step_time_s; }
plain=$(seconds)
for field in tp grad_reduce param_gather; do
	[ "$(seconds --set parallelism.overlap.$field=false)" = "$plain" ] && echo "$field: off unless it is asked for"
done
for flag in --tp-comm-overlap --overlap-grad-reduce '--overlap-grad-reduce --overlap-param-gather'; do
	jq -n "$(seconds --env OVERLAP="$flag") < $plain" | sed "s/^/$flag: shorter: /"
done
parplan search --gpu h100-sxm --fix tp=4 --fix pp=1 --fix cp=1 --top 1 --format json overlap.sh | jq -c '.plans[0].settings, .plans[0].arguments, (.neighbours[] | select(.setting == "tensor parallelism") | [.setting, .value])'
# The vocabulary is padded for the tp that the job runs with, wherever that is said.
for tp in 1 4 16; do
	parplan explain --set parallelism.tp=$tp overlap.sh model.vocab | head -n 1
done
