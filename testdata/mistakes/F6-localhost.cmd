# scontrol is missing in the container, and the fallback of the script is localhost.
# want-elsewhere: rendezvous-localhost
# say: 4 machines use localhost:29500 as the rendezvous host, which is a different machine on each of them
# say: every machine hosts a store of its own
# severity: error
printf 'parplan: 1\n' | parplan check --format json - -- \
	torchrun --nnodes=4 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=localhost:29500 train.py
