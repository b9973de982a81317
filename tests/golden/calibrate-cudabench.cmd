parplan calibrate --output /dev/null testdata/calibrate/cudabench.json
