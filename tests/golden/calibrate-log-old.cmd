parplan calibrate --output /dev/null --gpu a100-80g testdata/calibrate/nccl-old.log
