# The reverse runs, and half of what is paid for does nothing.
# want-elsewhere: idle-devices
# say: 4 processes on machines of 8 devices: 4 of each stay idle
# severity: warning
printf 'parplan: 1\ncluster: {nodes: 1, gpus_per_node: 8}\nparallelism: {tp: 4}\n' |
	parplan check --format json - -- torchrun --nproc-per-node 4 train.py
