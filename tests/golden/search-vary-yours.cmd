# Yours has the stage that its file says, whatever stages are tried: it is named by the device that the options give.
d=$(mktemp -d)
printf 'model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\nfinetuning_type: full\ndeepspeed: z2.json\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 8\ncutoff_len: 4096\nbf16: true\noutput_dir: o\n' >$d/job.yaml
printf '{"zero_optimization": {"stage": 2}, "bf16": {"enabled": "auto"}}' >$d/z2.json
parplan search --world 8 --gpu h200 --vary parallelism.zero_stage=0,3 $d/job.yaml | grep -A1 '^Yours' | cut -c1-30
parplan sim --world 8 --gpu h200 $d/job.yaml | grep -E '^  (time|device)' | cut -c1-60
rm -r $d
