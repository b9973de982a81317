# The same on the command line, with a number that the machines do not even divide.
# want-elsewhere: processes-are-total
# say: 7 mod 2 = 1 left over: 6 processes start
# severity: warning
printf 'parplan: 1\nframework: {accelerate: 1.4.0}\ncluster: {gpus_per_node: 4}\n' |
	parplan check --format json - -- accelerate launch --num_machines 2 --num_processes 7 train.py
