parplan calibrate --output /dev/null --gpu h100-sxm testdata/calibrate/inspector-rank0.jsonl testdata/calibrate/inspector-rank5.jsonl
