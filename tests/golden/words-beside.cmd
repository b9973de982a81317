# Words behind "--" win over a script's and a manifest's own, and leave the rest of them.
for file in launch/torchtitan/line.sh dialects/k8s/torchtitan.yaml; do
	parplan explain testdata/$file -- --parallelism.tensor_parallel_degree 2 --training.local_batch_size 4 | grep -E "^(model.preset|parallelism.tp|training.local_batch_size) ="
done
parplan explain testdata/dialects/k8s/megatron.yaml -- --tensor-model-parallel-size 2 | grep -E '^parallelism.(tp|pp) ='
