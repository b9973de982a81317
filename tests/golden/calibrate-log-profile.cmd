parplan calibrate --output - --gpu h100-sxm testdata/calibrate/nccl-2.27.log
