parplan calibrate --output /dev/null testdata/calibrate/inspector-rank0.jsonl
