parplan coll --op alltoall --bytes 64K,64M --ranks 8 --gpu 'NVIDIA B200' --nccl 2.29.2 --format json
