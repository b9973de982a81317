parplan calibrate --output /dev/null --format json testdata/calibrate/cudabench.json
