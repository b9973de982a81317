# What follows from keys is compared, too: types, stages and offload of DeepSpeed's blocks, and how many sequences a step has, however the file says it.
d=$(mktemp -d) && cd $d || exit; mk() { printf '{%s "zero_optimization": %s}\n' "$2" "$3" >$1.json; }
mk a '"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4, "bf16": {"enabled": true},' '{"stage": 3}'
mk same '"train_batch_size": 64, "train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true},' '{"stage": 3}'
mk more '"train_batch_size": 128, "train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true},' '{"stage": 3}'
mk half '"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4, "fp16": {"enabled": true},' '{"stage": 3}'
mk host '"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4, "bf16": {"enabled": true},' '{"stage": 3, "offload_param": {"device": "cpu"}, "offload_optimizer": {"device": "cpu"}}'
mk optimizer '"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4, "bf16": {"enabled": true},' '{"stage": 3, "offload_optimizer": {"device": "cpu"}}'
mk yes '"train_batch_size": 64, "bf16": {"enabled": true},' true; mk no '"train_batch_size": 64, "bf16": {"enabled": true},' false
for pair in 'a same' 'a more' 'a half' 'host optimizer' 'yes no'; do set -- $pair; echo "== $1 $2"; parplan diff --world 8 $1.json $2.json | tail -n +4 | sed '/^Findings/,$d'; done; cd / && rm -r $d
