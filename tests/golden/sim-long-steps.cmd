# A step of days is simulated to its end, whatever its parts take: four times the tokens of a sequence take up to sixteen times as long, and no MFU leaves what a device can do; the trace ends when the step does.
d=$(mktemp -d); for seq in 4194304 16777216 67108864; do
	parplan sim --set parallelism.dp_replicate=1 --seq $seq --format json plans/fsdp-8.yaml --trace $d/t | jq -c '.what_if.forecast | [.step_time_s, .mfu]'
	jq '([.traceEvents[] | select(.ph == "X") | .ts + .dur] | max) / 1e6 / .otherData.simulated_s | . * 1000 | round' $d/t
done; parplan draw --figure pipeline --set training.seq_len=67108864 plans/pp-1f1b-3d.yaml | grep 'busy longest'
parplan sim --format json --set training.seq_len=67108864 plans/fsdp-8.yaml | jq -c '.memory.classes[0].peak_time_s / .step_time_s * 100 | round'
rm -r $d
