parplan why testdata/logs/hang-slurm.log | head -n 8
