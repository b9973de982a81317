parplan calibrate --output /dev/null testdata/calibrate/profiler-rank0.json testdata/calibrate/profiler-rank3.json
