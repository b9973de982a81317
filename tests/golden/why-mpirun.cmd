sed 's/^\[rank\([0-9]*\)\]:/[1,\1]<stderr>:/' testdata/logs/degrees.log | parplan why - | head -n 6
