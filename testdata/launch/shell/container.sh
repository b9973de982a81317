docker run --gpus all --rm -v $PWD:/w nvcr.io/nvidia/pytorch:25.01-py3 bash -lc 'cd /w && torchrun --nproc_per_node=8 train.py --fsdp "full_shard auto_wrap" --per_device_train_batch_size 2'
