parplan calibrate --output - testdata/calibrate/cudabench.json
