parplan why testdata/logs/unknown.log
