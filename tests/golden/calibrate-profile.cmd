parplan calibrate --output - testdata/nccl/h100-all-reduce.txt 
