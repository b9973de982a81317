#!/bin/bash
# As NVIDIA-NeMo/RL tests/test_suites/llm: no launcher, for Ray makes the ranks; the parent of the config lies beside that.
NUM_NODES=4
uv run examples/run_sft.py \
    --config recipes/hsdp.yaml \
    cluster.num_nodes=$NUM_NODES \
    ++policy.dtensor_cfg.tensor_parallel_size=2 \
    2>&1 | tee run.log
uv run tests/json_dump_tb_logs.py logs --output_path metrics.json
