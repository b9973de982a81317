# What Megatron's interleaved schedule refuses in its first step, and what a native file leaves open.
cd testdata/megatron
for job in "8 125" "9 125" "6 125" "8 4"; do
	set -- $job
	echo "== groups of $1, batch $2"
	parplan check --env GROUP=$1 --env BATCH=$2 interleaved.sh
done 2>&1
parplan check interleaved-nemo.yaml
parplan check --set model.global_batch_size=17 interleaved-nemo.yaml
parplan check layout.yaml
parplan check --set parallelism.pipeline.virtual_stages=3 layout.yaml
parplan check --set parallelism.overlap.grad_reduce=false layout.yaml
parplan check --framework megatron@2024-04 --set parallelism.pp=2 \
	--set parallelism.pipeline.layer_split=even layout.yaml
for version in 2022-12 2024-06 2024-12; do
	echo "== $version"
	parplan check --framework megatron@$version --set training.micro_batch_size=1 \
		--set training.global_batch_size=20 --set world=16 layout.yaml
done
