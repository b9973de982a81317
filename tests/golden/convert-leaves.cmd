# Leaf modules go to accelerate as names with commas, and come back as they were; what it cannot say is told.
d=$(mktemp -d) && cd $d || exit; printf 'compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 16\nnum_machines: 2\ndeepspeed_config: {zero_stage: 3, deepspeed_moe_layer_cls_names: "Qwen3MoeSparseMoeBlock,Other"}\n' >a.yaml
parplan convert --to native a.yaml >native.yaml; parplan convert --to accelerate native.yaml | tee b.yaml; parplan diff a.yaml b.yaml | tail -n 1
for list in '[]' '[a b, "x: y"]'; do sed "s/leaf_modules: .*/leaf_modules: $list/" native.yaml | parplan convert --to accelerate - 2>&1 | grep 'leaf modules\|leaf_modules\|cls_names'; done; rm -r $d
