# TorchTitan's DualPipeV hides the traffic of experts only where it is asked for, and no other schedule does.
seconds() {
	parplan sim --gpu h100-sxm --format json --set parallelism.pp=4 --set parallelism.dp_shard=4 \
		--set parallelism.ep=4 --set training.global_batch_size=64 --set training.local_batch_size=16 --set training.activation_checkpoint.mode=none \
		--set parallelism.pipeline.schedule="$1" --set parallelism.expert_overlap="$2" \
		plans/moe-ep-deepseek-16b.yaml | jq .step_time_s
}
for schedule in Interleaved1F1B DualPipeV; do
	jq -rn "$(seconds $schedule true) < $(seconds $schedule false) | \"$schedule: shorter: \(.)\""
done
