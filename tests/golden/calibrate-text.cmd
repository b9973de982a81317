parplan calibrate --output /dev/null testdata/nccl/h100-all-reduce.txt
