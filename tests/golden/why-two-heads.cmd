parplan why testdata/fuzz/why/two-heads.log
