for f in testdata/dialects/trl/*.yaml; do echo "== $f"; parplan plan --world 8 $f; parplan check --world 8 $f; done 2>&1
for f in hsdp-tp zero3-ulysses deepspeed-file; do
	echo "== under $f"
	parplan plan --launcher testdata/dialects/accelerate/$f.yaml testdata/dialects/trl/grpo.yaml
	parplan check --launcher testdata/dialects/accelerate/$f.yaml testdata/dialects/trl/grpo.yaml
done 2>&1
echo "== by the launch line"
parplan plan testdata/dialects/trl/grpo.yaml -- accelerate launch --config_file testdata/dialects/accelerate/hybrid.yaml train.py --config grpo.yaml 2>&1
parplan plan testdata/dialects/trl/grpo.yaml -- accelerate launch --config_file not-there.yaml --num_processes 4 train.py --config grpo.yaml 2>&1
