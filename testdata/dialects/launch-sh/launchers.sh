# other launchers; the last command that is sure to run counts
accelerate launch --num_processes 16 --num_machines 2 warm_up.py
if [ -f resume ]; then mpirun -np 64 python train.py; fi
PROCESSES=$((4 * 8))
mpirun -np $PROCESSES -H a:8,b:8 python train.py
