parplan why testdata/logs/run/rank0.log testdata/logs/run/rank1.log
