CUDA_VISIBLE_DEVICES=0,1,2 accelerate launch train.py
