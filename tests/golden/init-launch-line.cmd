parplan init -- torchrun --nnodes 2 --nproc_per_node 8 -m torchtitan.train --module llama3 --config llama3_8b --parallelism.tensor-parallel-degree 8 --parallelism.no-enable-sequence-parallel
