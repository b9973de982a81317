parplan why testdata/logs/silent.log
