parplan why testdata/logs/memory.log
