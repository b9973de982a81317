parplan calibrate --output /dev/null --format json testdata/nccl/h100-all-reduce.txt
