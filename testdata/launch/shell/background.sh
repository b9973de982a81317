nohup env CUDA_VISIBLE_DEVICES=0,1 python -m torch.distributed.launch --use_env --nproc_per_node=2 train.py --foo > log 2>&1 &
