mpirun -np 16 -H a:8,b:8 -x NCCL_DEBUG=INFO python pretrain_gpt.py --tensor-model-parallel-size 8 --bf16 --num-layers 32
