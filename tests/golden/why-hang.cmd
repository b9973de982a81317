parplan why testdata/logs/hang.log
