parplan why testdata/logs/broken.log
