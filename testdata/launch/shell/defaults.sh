: "${NPROC:=8}" "${TP:=2}"
timeout 1h torchrun --nproc_per_node "$NPROC" pretrain_gpt.py --tensor-model-parallel-size "$((TP * 2))" --num-layers 32 --bf16
