#!/bin/bash
# As huggingface/nanotron examples/contributor-guide/debug_tiny_llama.sh: the launcher's options stand behind the debugger's.
debugpy-run -m torch.distributed.run -p 5678 -- --nproc_per_node 16 --nnodes 1 run_train.py --config-file llama.yaml
