#!/bin/bash
torchrun --nnodes 8 --nproc_per_node 8 -m torchtitan.train --module team --config begins_with_known --training.steps 5
