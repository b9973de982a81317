parplan calibrate --output /dev/null --format json testdata/calibrate/profiler-rank0.json
