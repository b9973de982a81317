torchrun --standalone --nproc-per-node=4 main.py --lr 3e-4
