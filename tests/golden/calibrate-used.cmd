parplan coll --op all_reduce --bytes 4K,1M,64M --ranks 8 --gpu h100-sxm --nccl 2.29 --profile testdata/nccl/h100-all-reduce.yaml
