parplan calibrate --output /dev/null --gpu h100-sxm --format json testdata/calibrate/nccl-2.27.log
