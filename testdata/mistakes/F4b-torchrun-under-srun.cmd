# Eight torchruns on each machine, of eight processes each.
# want-elsewhere: tasks-per-node
# say: 8 * 8 = 64 processes on 8 devices
# say: --ntasks-per-node=1
# severity: error
printf 'parplan: 1\ncluster: {nodes: 2, gpus_per_node: 8}\n' | parplan check --format json - -- \
	srun --nodes=2 --ntasks-per-node=8 torchrun --nnodes=2 --nproc_per_node=8 --rdzv-endpoint=node0:29500 train.py
