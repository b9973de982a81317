gzip -c testdata/calibrate/profiler-rank0.json | parplan calibrate --output /dev/null -
